//! Objects, read and searched.

use std::sync::Arc;

use grep_searcher::BinaryDetection;
use manicule_store::Mapped;
use manicule_store::store::{Name, Store, StoreError};
use memchr::memchr;

use super::super::joint::Job;
use super::object::{Object, ObjectCounts};
use crate::code::tree::Flow;
use crate::failure::Failure;
use crate::find::search::Wanted;
use crate::find::visitor::{Text, Visitor};
use crate::kinds::System;
use crate::place::fetched;

/// Length in bytes of the longest object that is read into memory.
const WHOLE_LEN: u64 = 8 << 20;

/// Bytes of objects that are in memory at a time.
const BATCH_LEN: u64 = 64 << 20;

/// Objects that are read at a time.
const BATCH_COUNT: usize = 32;

/// First bytes of a long object that show whether it is text.
const HEAD_LEN: u64 = 64 << 10;

/// What objects of a store are searched by.
pub(super) struct Reader<'r, 'j> {
    pub(super) store: &'r Arc<dyn Store>,
    pub(super) job: &'r Job<'j>,
    pub(super) visitor: &'r mut dyn Visitor,
    pub(super) counts: &'r mut ObjectCounts,
    /// Whether the call has named the object.
    pub(super) is_named: bool,
}

impl Reader<'_, '_> {
    /// Searches objects in their order, many read at a time.
    pub(super) fn search(&mut self, objects: &[Object]) -> Result<Flow, Failure> {
        let mut rest = objects;
        while !rest.is_empty() {
            self.job.watch.check()?;
            if self.job.face.is_over() {
                return Ok(Flow::Quit);
            }
            let flow = match batch_of(rest) {
                0 => {
                    let (first, others) = rest.split_at(1);
                    rest = others;
                    self.long(&first[0])
                }
                count => {
                    let (batch, others) = rest.split_at(count);
                    rest = others;
                    self.batch(batch)
                }
            };
            if flow == Flow::Quit {
                return Ok(Flow::Quit);
            }
        }
        Ok(Flow::Continue)
    }

    fn batch(&mut self, objects: &[Object]) -> Flow {
        // An empty object has nothing to be read, and of a list only names are wanted.
        let has_contents = self.job.search.wanted != Wanted::Names;
        let is_read = |object: &&Object| has_contents && object.listed.len != Some(0);
        let wanted = objects.iter().filter(is_read);
        let names: Vec<Name> = wanted.map(|object| object.listed.file_in(&object.folder)).collect();
        let mut read = match &names[..] {
            [] => Vec::new(),
            names => self.store.read_all(names, BATCH_LEN),
        }
        .into_iter();
        for object in objects {
            let bytes = if is_read(&object) { read.next() } else { None };
            match bytes.unwrap_or_else(|| Ok(Vec::new())) {
                Ok(bytes) => {
                    if self.text(object, &bytes) == Flow::Quit {
                        return Flow::Quit;
                    }
                }
                Err(error) => self.failed(error),
            }
        }
        Flow::Continue
    }

    /// Searches an object that is too long to be read into memory.
    fn long(&mut self, object: &Object) -> Flow {
        let searched = self.head(object).and_then(|head| {
            Ok(match head {
                Some(head) => self.text(object, &head),
                None => {
                    let bytes = self.map(object)?;
                    self.text(object, &bytes)
                }
            })
        });
        searched.unwrap_or_else(|error| {
            self.failed(error);
            Flow::Continue
        })
    }

    /// The first bytes of a long object, if the search of it ends in them: it is no text.
    fn head(&self, object: &Object) -> Result<Option<Vec<u8>>, StoreError> {
        let reading = &self.job.search.reading;
        let detection = reading.binary_detection(self.is_named);
        if detection != BinaryDetection::quit(0) || self.job.search.is_counted {
            return Ok(None);
        }
        let mut head = vec![0; HEAD_LEN as usize];
        self.store.read_at(&object.listed.file_in(&object.folder), 0, &mut head)?;
        // UTF-16 has NULs, and says so.
        let is_marked = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
        Ok((!is_marked && memchr(0, &head).is_some()).then_some(head))
    }

    fn map(&self, object: &Object) -> Result<Mapped, StoreError> {
        let files = fetched(Arc::clone(self.store))?;
        Ok(files.map_listed(&object.folder, &object.listed)?.bytes)
    }

    fn text(&mut self, object: &Object, bytes: &[u8]) -> Flow {
        self.counts.objects += 1;
        self.counts.bytes += bytes.len() as u64;
        let (path, is_named) = (&*object.path, self.is_named);
        self.visitor.text(Text { system: System::TREE, path, bytes, places: &[], is_named })
    }

    pub(super) fn failed(&self, error: StoreError) {
        self.job.face.failure(Failure::new(error.class(), error));
    }
}

/// How many of the objects are read at a time: none where the first is too long for that.
fn batch_of(objects: &[Object]) -> usize {
    let mut left = BATCH_LEN;
    let fits = |object: &&Object| {
        let len = object.listed.len.unwrap_or(WHOLE_LEN);
        let fits = len <= WHOLE_LEN && len <= left;
        left = left.saturating_sub(len);
        fits
    };
    objects.iter().take(BATCH_COUNT).take_while(fits).count()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use manicule_store::EntryKind;
    use manicule_store::store::Listed;

    use super::*;

    #[track_caller]
    fn check(lens: &[u64], want: usize) {
        let object = |len: &u64| Object {
            folder: Name::root(),
            listed: Listed {
                name: "a".to_owned(),
                kind: EntryKind::File,
                len: Some(*len),
                version: None,
            },
            path: PathBuf::new(),
        };
        let objects: Vec<Object> = lens.iter().map(object).collect();
        assert_eq!(batch_of(&objects), want, "{lens:?}");
    }

    #[test]
    fn batches_are_bounded_by_count_and_bytes() {
        check(&[], 0);
        check(&[1, 2, 3], 3);
        check(&[1; 40], BATCH_COUNT);
        check(&[WHOLE_LEN; 10], (BATCH_LEN / WHOLE_LEN) as usize);
        check(&[1, WHOLE_LEN + 1, 1], 1);
        check(&[WHOLE_LEN + 1], 0);
    }
}
