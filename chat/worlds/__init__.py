"""Text worlds in a conversation: what happened in them as events, and what both minds and the person do there."""
