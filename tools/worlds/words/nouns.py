"""Nouns as people say them: parts of run-together names, groups of words for one thing, and words that say nothing.

Nothing here says what is in a world: names come from the admissible actions and the observation. Tables only.
"""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def phrases(text: str) -> tuple[str, ...]:
    """Parted by commas."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def pairs(text: str) -> dict[str, str]:
    """`a = b, c = d`."""
    cut = (pair.partition("=") for pair in phrases(text))
    return {left.strip(): right.strip() for left, _, right in cut}


PARTS = words(
    "green sand stop air alarm arm art back ball bar base basin basket bat bath bathtub bed bell bin board "
    "book bottle bowl box "
    "brush bucket bulb burner butter button cabinet can candle card case cell chain chair chest clock cloth coat "
    "coffee control counter cover credit cream cup curtain desk dining dish door drawer dresser dry fan fire "
    "floor foot fork frame fruit garbage glass hair hamper hand hanger head holder house ice kettle key knife "
    "lamp laundry lid light machine maker mat mirror news night opener oven paint painting pan paper pen pepper "
    "phone picture pillow pin plant plate pot press rack racket rag remote rest roll room rug safe salt scrub "
    "set shaker sheet shelf shoe shower side sink soap sofa spoon spray sponge stand statue steel stool stove "
    "switch table tea teddy bear tennis tissue toast toilet top towel trash tub tv vase wall wash waste watch "
    "water watering wax window wine"
)
"""What run-together names (`diningtable`, `toiletpaperhanger`) are made of; a name that is not wholly made of these
stays whole (`cupboard` is no board for cups to the person who says `cup`)."""
WHOLE = words("greenhouse cupboard keyboard handrail bathroom bedroom notebook headrest fireplace")

SAME = (
    "fridge, refrigerator, icebox, fridgerator, frig, frige, ice box",
    "sofa, divan, chesterfield, couch, settee, loveseat",
    "garbage can, trash can, trashcan, bin, trash bin, rubbish bin, garbage bin, waste bin, dustbin, "
    "wastebasket, waste "
    "basket, trash, garbage, rubbish, waste paper basket, wastepaper basket, trash basket, wastebin, "
    "trashbin, garbage pail, trash container",
    "counter top, work bench, bench, kitchen bench, counter, worktop, work top, kitchen counter, work "
    "surface, kitchen top, countertop "
    "surface, bench top, benchtop",
    "dining table, dinner table, kitchen table, dining room table, dinning table, eating table, diner table",
    "side table, end table, bedside table, night stand, nightstand, night table, accent table, small table",
    "coffee table, low table, cocktail table",
    "sink basin, sink, wash basin, washbasin, basin, sink bowl, faucet, tap",
    "bathtub basin, bathtub, bath tub, tub, bath",
    "stove burner, burner, hob, stove, stovetop, stove top, cooker, cooktop, hot plate, range, hotplate",
    "coffee machine, coffee maker, coffeemaker, espresso machine, coffee pot, keurig",
    "cell phone, phone, mobile phone, mobile, smartphone, telephone, smart phone, cell, iphone, handset, "
    "android, cellular phone, handphone",
    "remote control, remote, tv remote, clicker, television remote, remote controller, tv control, "
    "controller, tv clicker, television control, tv controller",
    "tv stand, television stand, tv unit, tv cabinet, tv table, media console, media unit, entertainment "
    "center, entertainment unit",
    "television, tv, telly",
    "dresser, chest of drawers, bureau, drawer chest, vanity, vanity unit",
    "cabinet, cupboard, kitchen cabinet, cupboards",
    "toilet paper, toilet roll, toilet tissue, tp, loo roll, bog roll, toilet paper roll, roll of toilet "
    "paper, loo paper",
    "toilet paper hanger, toilet paper holder, toilet roll holder, toilet paper rack, tp holder, toilet "
    "paper dispenser, loo roll holder",
    "toilet, loo, john, commode, lavatory",
    "hand towel, face towel, small towel",
    "hand towel holder, hand towel rack, hand towel hanger, hand towel bar, hand towel rail",
    "towel holder, towel rack, towel hanger, towel bar, towel rail",
    "alarm clock, clock, alarm",
    "desk lamp, table lamp, reading lamp, desk light, lamp",
    "floor lamp, standing lamp, floor light",
    "credit card, bank card, card, visa, mastercard, plastic card, debit card",
    "key chain, keys, key ring, keyring, set of keys, car keys, house keys, bunch of keys",
    "soap bar, bar of soap, soap",
    "soap bottle, bottle of soap, soap dispenser, liquid soap, hand soap, dish soap, bottle of dish soap, "
    "bottle of hand soap",
    "spray bottle, spray, bottle of spray, sprayer, cleaner, spray can, cleaning spray, bottle of cleaner, "
    "squirt bottle, spritzer",
    "pepper shaker, pepper, pepper pot, pepper mill, pepper grinder",
    "salt shaker, salt, salt pot, salt cellar",
    "dish sponge, sponge, kitchen sponge, scrubber sponge, scouring pad",
    "scrub brush, scrubber, brush, toilet brush, scrubbing brush, cleaning brush",
    "wine bottle, vino, bottle of wine, wine",
    "tissue box, tissues, box of tissues, kleenex, kleenex box, tissue, pack of tissues",
    "paper towel roll, paper towel, paper towels, roll of paper towels, kitchen roll, kitchen paper, paper "
    "towel holder",
    "laundry hamper, hamper, laundry basket, laundry, basket, clothes hamper, clothes basket",
    "arm chair, easy chair, chair, recliner, lounge chair",
    "teddy bear, teddy, toy, plush, stuffed bear, plush bear, stuffed animal, plushie, plush toy, stuffed toy, cuddly "
    "toy, toy bear",
    "watering can, watering pot, water can",
    "house plant, potted plant, plant, pot plant, flower, flowers, fern",
    "basket ball, ball",
    "baseball bat, bat",
    "tennis racket, racket, racquet, tennis racquet",
    "cd, album, record, disc, disk, compact disc, compact disk, dvd",
    "newspaper, gazette, daily news, morning paper, news paper, paper, newspapers, daily, daily paper",
    "pencil, lead pencil",
    "laptop, notebook pc, computer, notebook computer, laptop computer, macbook, pc, notebook",
    "ottoman, foot stool, footstool, pouf, pouffe, footrest",
    "foot stool, step stool, stool",
    "cloth, rag, washcloth, wash cloth, dish cloth, dishcloth, dish rag, dishrag, wash rag, washrag, "
    "cleaning cloth, wipe, flannel, towelette",
    "kettle, tea kettle, teakettle, teapot, tea pot",
    "pan, frying pan, skillet, frypan, fry pan",
    "pot, cooking pot, stockpot, stock pot, stew pot, saucepan, sauce pan, cook pot",
    "potato, spud, tater, potatoe",
    "tomato, tomatoe",
    "bread, loaf, loaf of bread, bread loaf",
    "lettuce, greens, salad greens, head of lettuce, salad, lettuce head",
    "egg, chicken egg, hen egg",
    "ladle, soup spoon, soup ladle",
    "spatula, flipper, turner",
    "plunger, toilet plunger",
    "apple, fruit",
    "book, novel, paperback, hardcover, textbook, hardback",
    "box, crate, storage box, cardboard box, cardboard, carton",
    "bowl, salad bowl, cereal bowl, soup bowl",
    "butter knife, spreading knife, blunt knife, table knife, butterknife spreader, spreader, dull knife",
    "candle, candlestick, wax candle",
    "boots, shoes, pair of boots, boot",
    "pillow, cushion, throw pillow",
    "pen, ballpoint, ballpoint pen, biro, ink pen",
    "cart, trolley",
    "bed, mattress",
    "cup, tumbler, drinking cup",
    "poster, print, wall poster",
    "blinds, window blinds",
    "footstool, foot stool, foot rest",
    "knife, kitchen knife, sharp knife, chef knife, chefs knife, carving knife, steak knife, big knife",
    "spoon, teaspoon, tablespoon, tea spoon, table spoon",
    "plate, dinner plate, dish, side plate",
    "towel, bath towel, beach towel",
    "shower door, shower",
    "tennis ball, ball",
    "outside, out side",
    "flower pot, flowerpot, plant pot, planter, pot",
    "seed jar, jar of seeds",
    "metal pot, steel pot, iron pot, cooking pot, saucepan",
    "ceramic cup, china cup, porcelain cup, clay cup, mug",
    "drain, plughole, plug hole",
    "oven, cooker",
    "picture, photo, photograph, drawing",
    "finger painting, fingerpainting, kid drawing",
    "living thing, organism, creature, animal",
    "electrical switch, switch, light switch",
    "wood, log, firewood, timber, lumber, piece of wood",
    "axe, ax, hatchet",
    "agent, yourself, myself, self",
    "air, atmosphere",
    "metal fork, fork",
    "cupboard, cabinet, closet",
    "closet, wardrobe, armoire",
    "blast furnace, furnace, forge",
    "foundry, smithy, forge room, metal shop",
    "sewer, drainpipe",
    "jug, water jug",
    "ground, dirt, floor, soil ground",
    "soil, dirt, earth, potting soil",
    "watch, timepiece, wristwatch, wrist watch",
    "vase, flower vase",
    "statue, statuette, figurine, sculpture, bust, ornament",
    "painting, picture",
    "safe, lock box, coffer, strongbox, strong box, vault, lockbox",
    "shelf, shelving, rack",
    "microwave, micro wave, micro, microwave oven, nuker",
    "toaster, bread toaster",
    "thermometer, temperature gauge, temperature meter, temp gauge, thermometer reading",
    "sodium chloride, table salt, salt",
    "lighter, cigarette lighter, fire lighter",
    "stopwatch, stop watch, timer, chronometer",
    "freezer, deep freezer, ultra low temperature freezer, ice chest, deep freeze",
    "light bulb, bulb, lightbulb, light",
    "electric motor, motor, engine",
    "buzzer, electric buzzer",
    "battery, power cell, batteries",
    "nuclear generator, reactor, nuclear reactor, nuclear plant",
    "solar panel, solar cell, photovoltaic panel",
    "living room, lounge, sitting room, livingroom, family room",
    "art studio, studio, art room, painting room, artroom",
    "hallway, hall, corridor, passage, passageway",
    "workshop, work shop, workroom, work room, shop",
    "outside, outdoors, yard, out doors, garden, out, outdoor area, outside area, exterior",
    "bathroom, restroom, washroom, bath room",
    "bedroom, bed room, sleeping room",
    "greenhouse, green house, glasshouse, hothouse",
    "kitchen, kitchenette",
    "fire pit, firepit, campfire, bonfire, fireplace",
    "bee hive, beehive, hive",
    "glass jar, jar, jam jar",
    "tin cup, metal cup, tin mug, tin can",
    "apple, red apple",
    "book shelf, bookshelf, bookcase, book case",
    "jug, pitcher, ewer",
    "inclined plane, ramp, slope",
    "wood block, block, wooden block",
    "wood cup, wooden cup",
    "substance, liquid, stuff",
    "shovel, spade",
    "positive terminal, anode, positive end, positive pole, positive side, plus, plus pole",
    "negative terminal, cathode, negative end, negative pole, negative side, minus, minus pole",
    "instructions, recipe, instruction sheet",
)
"""Words for one thing; each group also covers its plurals. Earlier words of a group do not count more."""

KIN = (
    "rabbit, bunny, hare",
    "wolf, wolfie",
    "bee hive, hive, bees house, bee house, bees home, bee home",
    "pride and prejudice, jane austen, austen",
    "origin of species, darwin, charles darwin",
    "the foundations of the origin of species, darwin, charles darwin",
    "toilet, potty",
    "cabinet, cab",
    "garbage can, dumpster",
    "stopwatch, timer, timing",
    "mug, cup, glass, drinking glass, beaker, coffee cup, coffee mug, teacup, tea cup",
    "desk lamp, floor lamp, lamp, light",
    "desk, table, writing desk, writing table, study table, work desk",
    "knife, butter knife, blade",
    "sofa, arm chair, seat",
    "cloth, towel, hand towel",
    "box, cardboard box, carton, package, container",
    "dresser, cabinet, drawers, wardrobe",
    "pot, pan, metal pot, cauldron, saucepan",
    "sink basin, bathtub basin",
    "side table, coffee table, nightstand",
    "pen, pencil",
    "shelf, book shelf",
    "substance, water",
    "soap bar, soap bottle, soap",
    "statue, vase",
    "blinds, curtains",
    "plate, dish",
    "tv stand, television, telly, tv",
    "stopwatch, clock",
    "book, reading material",
    "unknown substance, unknown stuff, mystery substance, mystery stuff, mysterious substance, unknown material",
    "solid unknown substance, unknown substance, unknown stuff, mystery substance",
    "liquid unknown substance, unknown substance, unknown liquid, mystery liquid",
    "wood, piece of wood",
    "counter top, surface",
    "garbage can, recycling bin, recycling",
)
"""Words close enough to act on where nothing fits better."""

ADJECTIVES = words(
    "big small large little old new dirty clean hot cold warm cool heated cooled cleaned washed nice good bad "
    "wooden metal plastic ceramic empty full open closed heavy shiny fresh ripe raw cooked chilled lovely damn "
    "stupid silly tall short round square single lone only same first second third blue red green yellow black "
    "white orange purple violet brown pink grey gray sliced electric electrical whole entire tiny huge pretty "
    "ugly broken hotter glass lit bloody darn freaking goddamn fucking yummy tasty delicious dear poor precious "
    "proper real actual right correct sharp usual normal regular ordinary plain remaining available nearest "
    "closest nearby"
)
FRUIT = words("apple banana orange lemon lime peach pear cherry apricot avocado grapefruit mango plum grape tomato")
STUFFS = words(
    "gold silver copper tin iron steel lead bronze brass aluminium aluminum platinum zinc caesium gallium mercury "
    "rubber plastic paper sandpaper glass wood ceramic"
)
KINDS = FRUIT | STUFFS
"""Before a name these tell it from others of its kind: a peach tree is no avocado tree."""
COLORS = words("blue red green yellow black white orange purple violet brown pink grey gray")

YOUNG = dict.fromkeys(
    words(
        "pup puppy cub kit kitten chick hatchling calf foal lamb duckling joey infant young newborn whelp "
        "fawn youngster"
    ),
    "baby",
)
"""The young of animals, as worlds that say `baby wolf` call them."""

VERBS_TOO = words(
    "light plant plate book watch ice fridge trash bin wire plug toast seal store press clip tie link cut drink "
    "park pile stack load jam slip target mark box lamp microwave mug phone"
)
"""Things that are verbs too: without anything to act on, the thing is meant (`the plate and light`)."""

DETERMINERS = words("the a an this that these those my your our his her its their some of")
PRONOUNS = words("it them that this these those him her one ones itself themselves everything thing item stuff")
EVERY = words("all every each both everything")
ANY = words("any either whichever whatever random")
OTHER = words("other others another different else")
NUMBERS = {
    word: number
    for number, word in enumerate(
        phrases(
            "zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, "
            "fifteen, sixteen, seventeen, eighteen, nineteen, twenty"
        )
    )
} | {word: 10 * tens for tens, word in enumerate(phrases("thirty, forty, fifty, sixty"), 3)}
ORDINALS = {
    word: number
    for number, word in enumerate(
        phrases(
            "zeroth, first, second, third, fourth, fifth, sixth, seventh, eighth, ninth, tenth, eleventh, twelfth, "
            "thirteenth, fourteenth, fifteenth, sixteenth, seventeenth, eighteenth, nineteenth, twentieth"
        )
    )
} | {"thirtieth": 30, "fortieth": 40, "fiftieth": 50, "sixtieth": 60}
TENS = pairs("twenty = 20, thirty = 30, forty = 40, fifty = 50, sixty = 60")
IRREGULAR = pairs(
    "knives = knife, shelves = shelf, loaves = loaf, leaves = leaf, halves = half, glasses = glass, dishes = "
    "dish, boxes = box, benches = bench, potatoes = potato, tomatoes = tomato, switches = switch, couches = "
    "couch, matches = match, batteries = battery, watches = watch, brushes = brush, torches = torch, berries "
    "= berry, butterflies = butterfly, scissors = scissors, bus = bus, glass = glass, instructions = "
    "instructions, keys = keys, tissues = tissue, blinds = blinds, drawers = drawer, gas = gas, lens = lens, "
    "canvas = canvas, dress = dress, mattress = mattress, mattresses = mattress, stairs = stairs, nuts = "
    "nuts, compass = compass, grass = grass, cactus = cactus, babies = baby, wolves = wolf, mice = mouse, "
    "geese = goose, this = this"
)
"""Plural -> singular where the ending does not tell (or where an s is no plural)."""

HELD = phrases(
    "you hold, i hold, we hold, you carry, i carry, in my hand, in my hands, in your hand, in your hands, "
    "you are holding, i am holding, we are holding, in "
    "hand, in my inventory, in your inventory, you are carrying, i am carrying, we are carrying, you have, i "
    "have, i have got, you have got, you took, i took, you picked up, i picked up, that i have, we have, you "
    "just took, you just picked up, i just took, i just picked up, from my inventory, from your inventory, "
    "we picked up, we took, you got, i got, we just took, we just picked up, in the inventory, in inventory"
)
IDLE = phrases(
    "so i can see, so we can see, so you can see, we go, you go, will you, would you, could you, with you, "
    "along with you, with us, over there, right "
    "there, right here, over here, near "
    "me, near you, in front of me, in front of you, in "
    "front of us, next to you, next to me, you see, i see, we see, you can see, i can see, we can see, we "
    "need, i need, you need, you want, you like, nearby, close by, around here, in here, at hand, in there, "
    "you found, we found, i found, you just found, in the room, in this room, in sight, for a second, for a "
    "moment, you just saw, we just saw, one more time, once more, all the way, wide open, all by itself, "
    "with your hands, with your hand, with my hands, by hand, at once, straight away, right away, so that we "
    "can see it, for closer inspection, to see it better, with care, while you are at it, while we are at "
    "it, if you can, if possible, if you would, if you please, if you do not mind, if you could, if you "
    "want, if you like, if you will, when you can, when you get a chance, as well, as soon as possible, "
    "asap, no matter what, in a hurry, at last, if you may, you think, in the corner, from where it is, "
    "back where it was, back where it came from, back where you found it, back where you got it, back where you got "
    "it from, back to where it was, where it was, where it came from, where you found it, where you got it from, "
    "real quick, mind you, where it is, where it belongs, of it all, once again, from here, to me, of yours, of "
    "mine, of ours, of "
    "them, of these, of those"
)
"""Phrases that point or are polite, and change nothing about what is meant."""
