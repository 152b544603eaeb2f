"""A lesson that stops where a kill would."""

from dataclasses import dataclass

from nets.train.fit import Figures, Lesson


@dataclass
class Killed:
    """A lesson that is over before the step of this number, as if by a kill."""

    lesson: Lesson
    number: int

    def step(self, number: int) -> Figures:
        if number == self.number:
            raise KeyboardInterrupt
        return self.lesson.step(number)

    def examine(self) -> Figures:
        return self.lesson.examine()
