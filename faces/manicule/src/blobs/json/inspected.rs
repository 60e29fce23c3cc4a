//! Repositories, as `inspect` shows them.

use manicule_blobs::{FileCount, Id, Kept, KeyFile, Listed};

use crate::blobs::inspect::{OpenedInspection, RepositoryInspection};
use crate::json::{Entry, Json, Keyed, Shown, list, part, report};

report!(of: RepositoryInspection {
    path: of.path.to_string_lossy(),
    files: Keyed(of.files.files.iter().map(|files| (files.kind.folder(), Json(files)))),
    keys: list(of.files.keys.iter().map(|(id, key)| Key(id, key))); of.opened,
});

report!(of: FileCount { files = count, len });

/// A key file by its id, or why it can't be read.
struct Key<'k>(&'k Id, &'k Result<KeyFile, String>);

report!(of: Key<'_> { id: Shown(of.0); of.1.as_ref().ok(), Entry("error", of.1.as_ref().err()) });

report!(of: KeyFile { created, username, hostname, N: of.cost.n, r: of.cost.r, p: of.cost.p });

report!(of: OpenedInspection {
    version, id, key: Shown(of.key), append_only = is_append_only, hot = is_hot, errors = broken,
    oldest: part(&of.oldest), newest: part(&of.newest),
});

report!(of: Kept {
    id: Shown(of.id), time: Shown(of.snapshot.time), hostname: of.snapshot.hostname,
});

report!(of: Listed { id: Shown(of.id), len });
