//! Questions of several kinds, asked of a bucket side by side.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use object_store::GetRange;

use manicule_store::EntryKind;
use manicule_store::store::{Answer, Ask, Listed, Name, StoreError, Version};

use crate::bucket::{Bucket, again};
use crate::chain::beside;
use crate::client::Depth;
use crate::file::past_the_end;
use crate::plan::requests_of;
use crate::shared::{Shared, check_version};
use crate::waves::{Expected, Waves, permit_count};

/// A request, and which questions it answers.
enum Request {
    /// All of a question that is one request.
    Question(Ask),
    /// A piece of an object that holds ranges, or a part of a range, in the version that they are
    /// asked for in.
    Piece(Range<u64>, Option<Version>),
}

impl Request {
    fn expected(&self) -> Expected {
        match self {
            Request::Question(Ask::Whole { len_max, .. }) => Expected::of_len(*len_max),
            Request::Question(_) => Expected::Short,
            Request::Piece(range, _) => Expected::of_len(range.end - range.start),
        }
    }
}

/// What a request has brought.
enum Brought {
    Answer(Answer),
    Piece(Bytes),
}

/// Pieces of an object, by their offsets; or why one is missing.
type Pieces = BTreeMap<u64, io::Result<Bytes>>;

/// What ranges have to share to be read as one: the object and its version.
type Source<'a> = (&'a Name, Option<Version>);

impl Bucket {
    /// Asks questions side by side. Near ranges of an object in one version are one request.
    pub(crate) fn ask_each(&self, asked: &[Ask]) -> Vec<Result<Answer, StoreError>> {
        let done = match self.send(asked) {
            Ok(done) => done,
            Err(error) => {
                let failed = |ask: &Ask| self.failed(ask.name(), Err(again(&error)));
                return asked.iter().map(failed).collect();
            }
        };
        let mut answers: Vec<Option<io::Result<Answer>>> = asked.iter().map(|_| None).collect();
        let mut pieces: HashMap<Source<'_>, Pieces> = HashMap::new();
        for (at, start, brought) in done {
            let piece = match brought {
                Ok(Brought::Answer(answer)) => {
                    answers[at] = Some(Ok(answer));
                    continue;
                }
                Ok(Brought::Piece(bytes)) => Ok(bytes),
                Err(error) => Err(error),
            };
            match &asked[at] {
                Ask::Range { file, version, .. } => {
                    pieces.entry((file, *version)).or_default().insert(start, piece);
                }
                _ => answers[at] = piece.err().map(Err),
            }
        }
        let answer = |(ask, answer): (&Ask, Option<io::Result<Answer>>)| {
            let answer = answer.unwrap_or_else(|| match ask {
                Ask::Range { file, version, range } => {
                    let empty = BTreeMap::new();
                    let pieces = pieces.get(&(file, *version)).unwrap_or(&empty);
                    copied(pieces, range).map(Answer::Bytes)
                }
                _ => Err(io::Error::other("a request ended without an answer")),
            });
            self.failed(ask.name(), answer.map_err(|error| self.shared().explained(error)))
        };
        asked.iter().zip(answers).map(answer).collect()
    }

    /// Sends the requests of questions, and waits for all: each with the number of its question and
    /// the offset of its piece.
    fn send(&self, asked: &[Ask]) -> io::Result<Vec<(usize, u64, io::Result<Brought>)>> {
        let key = |ask: &Ask| self.shared().address.key(ask.name());
        let requests = self.requests(asked);
        let keys: Vec<String> = requests.iter().map(|(at, _)| key(&asked[*at])).collect();
        let mut waves = Waves::of(&self.shared().limits);
        self.run(|shared| async move {
            let mut done = Vec::new();
            let tasks = requests.into_iter().zip(keys).map(|((at, request), key)| {
                let (shared, wave) = (shared.clone(), waves.next(request.expected()));
                let task = async move {
                    let start = match &request {
                        Request::Question(_) => 0,
                        Request::Piece(range, _) => range.start,
                    };
                    (at, start, answer(shared, &key, request).await)
                };
                (wave, task)
            });
            beside(tasks, permit_count(&shared.limits), &mut |one| done.push(one)).await?;
            Ok(done)
        })
    }

    /// The requests of questions, each with the number of the first question that it is for.
    fn requests(&self, asked: &[Ask]) -> Vec<(usize, Request)> {
        let mut places: HashMap<Source<'_>, usize> = HashMap::new();
        let (mut firsts, mut ranges, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for (at, ask) in asked.iter().enumerate() {
            match ask {
                Ask::Range { file, version, range } => {
                    let place = *places.entry((file, *version)).or_insert_with(|| {
                        firsts.push((at, *version));
                        ranges.push(Vec::new());
                        firsts.len() - 1
                    });
                    ranges[place].push(range.clone());
                }
                other => all.push((at, Request::Question(other.clone()))),
            }
        }
        // What may be in flight is shared by the objects.
        let in_flight = self.shared().limits.requests_in_flight.saturating_sub(all.len());
        for ((at, version), pieces) in firsts.into_iter().zip(requests_of(&ranges, in_flight)) {
            all.extend(pieces.into_iter().map(|range| (at, Request::Piece(range, version))));
        }
        all
    }
}

async fn answer(shared: Arc<Shared>, key: &str, request: Request) -> io::Result<Brought> {
    let ask = match request {
        Request::Question(ask) => ask,
        Request::Piece(range, version) => {
            let len = range.end - range.start;
            let got = shared.get(key, Some(GetRange::Bounded(range)), None, len).await?;
            version.map_or(Ok(()), |version| check_version(&got.seen, &version))?;
            return Ok(Brought::Piece(got.bytes));
        }
    };
    Ok(Brought::Answer(match ask {
        Ask::Entries(_) => Answer::Entries(shared.list(key).await?),
        Ask::Below(_) => below(&shared, key).await?,
        Ask::Beginning { beginning, .. } => {
            let files = shared.list_beginning(key, &beginning).await?;
            Answer::Below { files, is_whole: true }
        }
        Ask::Whole { len_max, .. } => {
            Answer::Bytes(shared.get(key, None, None, len_max).await?.bytes.to_vec())
        }
        Ask::Range { .. } => unreachable!("ranges are asked for in pieces"),
    }))
}

/// The files below a folder that one request lists: of a web server those in the folder itself.
async fn below(shared: &Arc<Shared>, folder: &str) -> io::Result<Answer> {
    if shared.client.has_pages() {
        let (files, is_whole) = shared.list_page(folder, Depth::Below).await?;
        return Ok(Answer::Below { files, is_whole });
    }
    let listed = shared.list(folder).await?;
    let count = listed.len();
    let is_file = |entry: &Listed| entry.kind != EntryKind::Folder;
    let files: Vec<_> = listed.into_iter().filter(is_file).collect();
    Ok(Answer::Below { is_whole: files.len() == count, files })
}

/// The bytes of a range, from pieces that hold all of it.
fn copied(pieces: &Pieces, range: &Range<u64>) -> io::Result<Vec<u8>> {
    let wanted = (range.end - range.start) as usize;
    let mut bytes = Vec::with_capacity(wanted);
    while bytes.len() < wanted {
        let at = range.start + bytes.len() as u64;
        let missing = || past_the_end(range.start, wanted, at);
        let (start, piece) = pieces.range(..=at).next_back().ok_or_else(missing)?;
        let piece = piece.as_ref().map_err(again)?;
        let from = piece.get((at - start) as usize..).filter(|from| !from.is_empty());
        let from = from.ok_or_else(missing)?;
        bytes.extend_from_slice(&from[..from.len().min(wanted - bytes.len())]);
    }
    Ok(bytes)
}
