# Only for other compiled units: cotangents that are a number times an array.
from typing import final

@final
class Scaled: ...
