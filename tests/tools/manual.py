"""A product manual as a PDF of three pages, made for the tests."""

from __future__ import annotations

PAGES = [
    "Brisa 300 dehumidifier\nUser manual\n\nThe Brisa 300 removes up to 12 litres of water a day from rooms of up to "
    "45 square metres. It weighs 13.5 kilograms and draws 290 watts. Place it upright on a flat floor, at least 20 "
    "centimetres away from walls and curtains. After transport let it stand for six hours before you plug it in, so "
    "that the oil in the compressor can settle. Do not use it in bathrooms within reach of the shower.",
    "Daily use\n\nPress the drop symbol to choose the humidity: 40, 50 or 60 percent. For drying laundry choose the "
    "shirt symbol; the fan then runs at full speed for eight hours. The tank holds 3.2 litres. When it is full the "
    "machine stops, beeps five times and the blue light turns orange. For continuous operation connect a hose of 13 "
    "millimetres inner diameter at the back. Hold the lock button for three seconds to keep children from changing "
    "the settings.",
    "Care and warranty\n\nWash the air filter under lukewarm water every two weeks and let it dry for a day. Replace "
    "it once a year; the part number is BF-77. Error E4 means that the room is colder than 5 degrees and the machine "
    "is defrosting: wait thirty minutes. Error E7 means that the humidity sensor is broken; send the machine to our "
    "workshop in Leipzig. We give a guarantee of three years on the appliance and of five years on the compressor, "
    "counted from the day of purchase.",
]


def manual(password: str | None = None) -> bytes:
    """The bytes of the PDF, protected where a password is given."""
    from fpdf import FPDF

    pdf = FPDF()
    pdf.set_font("helvetica", size=12)
    for text in PAGES:
        pdf.add_page()
        pdf.multi_cell(0, 6, text)
    if password:
        pdf.set_encryption(owner_password="owner", user_password=password)
    return bytes(pdf.output())
