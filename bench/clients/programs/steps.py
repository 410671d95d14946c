"""What the programs in Python have in common; steps.mjs says the same in JavaScript."""

import asyncio
import inspect
import json
import os

given = json.loads(os.environ["WINNOW_CLIENT"])
# The descriptor from which the benchmark reads, because clients write to the others.
_outcomes = os.fdopen(3, "w")


def _report(**outcome):
    print(json.dumps(outcome), file=_outcomes, flush=True)


def announce(methods):
    """Says which methods the client has."""
    _report(methods=sorted(methods))


def methods_of(client):
    """The public methods of an object."""
    return [name for name in dir(client) if not name.startswith("_") and callable(getattr(client, name))]


def _text_of(value):
    if isinstance(value, str):
        return value
    return json.dumps(value, default=lambda each: getattr(each, "__dict__", None) or str(each))


async def _wait_for(value):
    return await value


def perform(call):
    """Performs a call; one of an asynchronous client is awaited in the loop of this program."""
    value = call()
    return _loop.run_until_complete(_wait_for(value)) if inspect.isawaitable(value) else value


_loop = asyncio.new_event_loop()
asyncio.set_event_loop(_loop)


def step(method, call, *texts):
    """Performs a call of a method, and checks that its result has the texts. Returns the result."""
    try:
        value = perform(call)
    except Exception as error:
        _report(method=method, error=f"{type(error).__name__}: {error}")
        return None
    text = _text_of(value)
    missing = [each for each in texts if each not in text]
    _report(method=method, **({"error": f"{', '.join(missing)} is not in {text}"} if missing else {}))
    return value


def refused(method, call, text):
    """Performs a call which has to be refused with a text that says why."""
    try:
        value = _text_of(perform(call))
        _report(method=method, **({"refusal": value} if text in value else {"error": f"it was not refused: {value}"}))
    except Exception as error:
        _report(method=method, **({"refusal": str(error)} if text in str(error) else {"error": str(error)}))
