//! Several ranges of an object, side by side.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use manicule_store::store::Version;
use object_store::GetRange;

use crate::chain::Beside;
use crate::shared::{Got, Shared, check_version};
use crate::waves::{Expected, Waves};

/// Ranges of an object, in the version that it was opened in, or in any, but all in one.
pub(crate) struct Ranges {
    pub(crate) bytes: Vec<Bytes>,
    /// ETag of the object, if one may be asked for by it.
    pub(crate) e_tag: Option<String>,
}

/// Reads ranges, all of them asked for at once, but for those that may not be in flight yet.
pub(crate) async fn read_ranges(
    shared: Arc<Shared>,
    key: &str,
    ranges: Vec<Range<u64>>,
    version: Option<Version>,
    e_tag: Option<String>,
) -> io::Result<Ranges> {
    let (mut tasks, mut waves) = (Beside::new(), Waves::of(&shared.limits));
    let mut read = Ranges { bytes: vec![Bytes::new(); ranges.len()], e_tag: e_tag.clone() };
    for (index, range) in ranges.into_iter().enumerate() {
        let (shared, key, e_tag) = (shared.clone(), key.to_owned(), e_tag.clone());
        let len = range.end - range.start;
        tasks.begin(waves.next(Expected::of_len(len)), async move {
            let got = shared.get(&key, Some(GetRange::Bounded(range)), e_tag, len).await;
            (index, len, got)
        });
    }
    let mut version = version;
    while let Some(done) = tasks.next().await {
        let (index, len, got) = done?;
        let Got { bytes, seen } = got?;
        check_version(&seen, version.get_or_insert(seen.version))?;
        if bytes.len() as u64 != len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        read.bytes[index] = bytes;
        read.e_tag = seen.e_tag;
    }
    Ok(read)
}
