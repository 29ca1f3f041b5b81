"""Where the model's programs run: pydantic-monty, a process of its own without files, network or the machine's clock.

edits      a program as small models write it, made ready for monty
prelude    what monty lacks, written in Python that it has (prelude.txt)
modules    what monty lacks, answered from outside: statistics, calendar, string, operator
dates      what programs ask of the calendar outside: today, zones, working days
runs       one run with its limits; what went wrong, told so that the model can mend it
"""
