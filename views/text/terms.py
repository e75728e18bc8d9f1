"""Messages for terms that several views share."""

from .catalogue import Message

QUERY, KEY = Message("axis.query", "query"), Message("axis.key", "key")
ROW, COLUMN = Message("axis.row", "row"), Message("axis.column", "column")
LAYER, HEAD = Message("layer", "Layer"), Message("head", "Head")
MASKED = Message("masked", "masked")
MEAN = Message("map.mean", "mean")
TOKEN = Message("column.token", "token")
WEIGHT = Message("axis.weight", "weight")
PROBABILITY = Message("axis.probability", "probability")
COSINE = Message("axis.cosine", "cosine")
EACH_OWN = Message("legend.own", "each map\u2019s largest weight")
BLOCKS = Message("legend.blocks", "each dot: the largest of {block} \u00d7 {block} cells")
NUMBERS_AS_TABLE = Message("table.numbers", "Numbers as a table")
