//! Name filters of documents: ripgrep's globs and types, over names instead of a walk.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use ignore::overrides::Override;
use ignore::types::Types;

/// `-g`, `-t` and `--max-filesize`. Other rules of a walk have no meaning here: what a shard holds
/// is what was indexed.
#[derive(Clone, Debug)]
pub struct Admit {
    /// `-g`
    pub globs: Override,
    /// `-t` and `-T`
    pub types: Types,
    /// Leave out documents above this many bytes.
    pub max_filesize: Option<u64>,
}

impl Admit {
    /// Everything counts.
    pub fn all() -> Self {
        Admit { globs: Override::empty(), types: Types::empty(), max_filesize: None }
    }

    /// Whether a document of this name and length counts. A folder that a glob leaves out takes
    /// what is below with it.
    pub(super) fn admits(&self, name: &[u8], len: usize) -> bool {
        self.max_filesize.is_none_or(|max| len as u64 <= max) && self.admits_name(name)
    }

    /// Whether a path counts that is given from its root on, without a slash in front.
    pub fn admits_name(&self, name: &[u8]) -> bool {
        let path = Path::new(OsStr::from_bytes(name));
        if !self.globs.is_empty() {
            let folders = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
            let matched = self.globs.matched(path, false);
            if matched.is_ignore()
                || folders.into_iter().any(|above| self.globs.matched(above, true).is_ignore())
            {
                return false;
            }
            if matched.is_whitelist() {
                return true;
            }
        }
        self.types.is_empty() || !self.types.matched(path, false).is_ignore()
    }
}
