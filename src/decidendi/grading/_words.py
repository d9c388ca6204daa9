"""The ids of the conclusion classes: the five things ``conclusion_class`` can say."""

from __future__ import annotations

CORRECT = "correct"
FROM_FALSE = "correct-from-false"
CONTENT = "correct-hallucinated"
WRONG_FROM_FALSE = "wrong-from-false"
FROM_INCOMPLETE = "wrong-from-incomplete"
