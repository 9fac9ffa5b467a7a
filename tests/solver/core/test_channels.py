"""Blocks of samples whose tables are made when somebody asks for them."""

import weakref

import numpy as np
from gsolve.solver.core.channels import SampleBlock, Tables


class Made:
    """Says which tables were made, and holds what they are made from."""

    def __init__(self):
        self.samples, self.groups = np.arange(6.0), []

    def of(self, group, factor):
        def maker():
            self.groups.append(group)
            return {"X": factor * self.samples}

        return maker


def block_of(made):
    return SampleBlock(np.arange(6.0), Tables({"a": made.of("a", 1.0), "b": made.of("b", 2.0)}))


def test_a_table_is_made_once_and_not_before_it_is_asked_for():
    made = Made()
    block = block_of(made)
    assert (list(block.values), len(block.values), "b" in block.values, made.groups) == (["a", "b"], 2, True, [])
    assert block.values["b"] is block.values["b"]
    assert made.groups == ["b"]
    assert block.values.get("c") is None


def test_the_first_samples_of_a_block_are_made_from_its_tables():
    made = Made()
    first = block_of(made).first(2)
    assert made.groups == []
    assert (len(first), first.values["b"]["X"].tolist(), made.groups) == (2, [0.0, 2.0], ["b"])


def test_a_complete_block_lets_go_of_what_its_tables_were_made_from():
    made = Made()
    block, kept = block_of(made), weakref.ref(made)
    block.complete()
    del made
    assert kept() is None
    assert [block.values[group]["X"][-1] for group in ("a", "b")] == [5.0, 10.0]
