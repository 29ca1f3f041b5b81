"""Swift: learned policies that act in text worlds within milliseconds (SwiftSage 3.2), trained from scratch."""
