"""Kubernetes quantities as exact numbers."""
import fractions

_SUFFIXES = {"n": fractions.Fraction(1, 10**9), "u": fractions.Fraction(1, 10**6), "m": fractions.Fraction(1, 1000), "k": 10**3, "M": 10**6,
             "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}

Amounts = dict[str, fractions.Fraction]


def amount(text: str | int | float) -> fractions.Fraction:
    text = str(text)
    for suffix in sorted(_SUFFIXES, key=len, reverse=True):
        if text.endswith(suffix):
            return fractions.Fraction(text[:-len(suffix)]) * _SUFFIXES[suffix]
    return fractions.Fraction(text)


def pod_request(pod: dict) -> Amounts:
    """What its containers ask for, and one pod. Tests use neither init containers nor overhead."""
    total: Amounts = {"pods": fractions.Fraction(1)}
    for container in pod["spec"]["containers"]:
        for name, value in container.get("resources", {}).get("requests", {}).items():
            total[name] = total.get(name, fractions.Fraction(0)) + amount(value)
    return total
