"""A lesson that stops where a kill would."""

from dataclasses import dataclass
from typing import Any

from nets.train.fit import Figures, Lesson


@dataclass
class Killed:
    """A lesson that is over before the step of this number, as if by a kill."""

    lesson: Lesson
    number: int

    def draw(self, number: int) -> tuple[int, Any]:
        return number, self.lesson.draw(number)

    def step(self, drawn: tuple[int, Any]) -> Figures:
        number, batch = drawn
        if number == self.number:
            raise KeyboardInterrupt
        return self.lesson.step(batch)

    def examine(self) -> Figures:
        return self.lesson.examine()
