def process(items):
    for i, (name, value) in enumerate(items):
        items[i] = name
        items.last = value
    with open(name) as handle, lock:
        data = handle.read()
    try:
        data.close()
    except OSError as error:
        raise Problem(error) from error
    while (chunk := read(data)):
        total += chunk
    match data:
        case [first, *others]:
            return first
        case Point(x=px):
            return px
    del total
    return i, error


type Alias = list[int]


def generic[T](value: T) -> T:
    return value
