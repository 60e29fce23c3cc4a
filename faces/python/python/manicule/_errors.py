"""Exceptions, one for each class of errors. Their texts say the place: file, section, offset."""


class Error(Exception):
    """An error of Manicule's; those below say of which class."""


class MissingError(Error, FileNotFoundError):
    """Something isn't there: a path, a snapshot, files that a partition was made of."""


class AskedError(Error, ValueError):
    """What is asked for can't be answered: an argument, a column, a condition, a query."""


class DeniedError(Error, PermissionError):
    """It may not be read, or its password is missing or wrong."""


class DamagedError(Error):
    """Bytes are not as their format has them."""


class BusyError(Error):
    """Somebody else has it, or all memory that calls may take is taken."""


class TooMuchError(Error):
    """It takes more memory than calls may take."""


class StoppedError(Error, TimeoutError):
    """It was stopped before its end, by a limit of time or by a signal."""


class UnsupportedError(Error, NotImplementedError):
    """Nobody can do that with it yet."""


class FailedError(Error):
    """The system gave an error, or there is a defect."""


class QuerySyntaxError(SyntaxError, AskedError):
    """A text is no SPARQL: ``lineno`` and ``offset`` say where."""


class DocumentSyntaxError(SyntaxError, DamagedError):
    """A document is none of its format: ``filename``, ``lineno`` and ``offset`` say where."""


for _class in [*Error.__subclasses__(), Error, QuerySyntaxError, DocumentSyntaxError]:
    _class.__module__ = "manicule"
