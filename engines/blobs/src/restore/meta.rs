//! What a node has beside its content, as systems number it.

use manicule_format_restic::{Moment, OwnedNode};
use manicule_store::InsideMeta;

/// Owner, times and permissions.
pub(super) fn meta_of(node: &OwnedNode) -> InsideMeta {
    let time = |moment: Moment| [moment.seconds, i64::from(moment.nanos)];
    InsideMeta {
        uid: node.uid,
        gid: node.gid,
        mtime: time(node.mtime.moment),
        atime: time(node.atime.moment),
        mode: node.mode.of_system(),
    }
}
