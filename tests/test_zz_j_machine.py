from tests.test_rebuild_machine import _run
def test_more() -> None:
    _run(60, 30)
