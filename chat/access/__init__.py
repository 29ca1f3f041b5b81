"""Who may reach Duet, and how much of it at once. chat/server.py puts these before everything, the first outermost:

same_site.py  whose pages may ask: of other sites, none
door.py       every request belongs to a person or is refused
limits.py     how large, how slow and how many requests may be

sign_in.py    signing in and out, and one's own account; accounts.py keeps who they are
openid.py     signing in at a provider of OpenID Connect
elsewhere.py  what a proxy says of who asks, and what the settings say of both
person.py     who asks, for whatever lies behind the door, and how much one account may have at once
"""
