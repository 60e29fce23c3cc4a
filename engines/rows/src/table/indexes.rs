//! The indexes of SSTables at an address, brought before a pass over them.

use manicule_format_sstable::Component;
use manicule_store::store::Wanted;

use super::ahead::{Foreseen, put};
use super::file::OpenFile;
use super::sstable::{IndexFiles, Sstable};

/// Bytes of indexes that are held at once, of all SSTables of a pass.
const INDEXES_MAX: u64 = 48 << 20;

/// Brings the indexes of SSTables of one folder, as much of them as may be held, and the ends of
/// their data, which prove those of the indexes.
pub(crate) fn bring_indexes(sstables: &[Sstable]) {
    let Some(store) = sstables.first().map(Sstable::store).filter(|store| store.is_far()) else {
        return;
    };
    let foreseen = Foreseen::Indexes(INDEXES_MAX / sstables.len() as u64);
    let mut wanted: Vec<Wanted> = Vec::new();
    for sstable in sstables {
        let of = |component: Component, file: &OpenFile| (component, file.version());
        let mut files = vec![of(Component::Data, sstable.stored())];
        match sstable.index() {
            IndexFiles::Big { index, .. } => files.push(of(Component::Index, index)),
            IndexFiles::Tries { partitions, rows } => {
                files.push(of(Component::Partitions, partitions));
                files.push(of(Component::Rows, rows));
            }
            IndexFiles::Missing => {}
        }
        put((sstable.descriptor(), &files), foreseen, &mut wanted);
    }
    store.bring(&wanted);
}
