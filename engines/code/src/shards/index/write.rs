//! A shard written from its documents: contents first, posting lists as memory allows, on all
//! threads.
//!
//! Each thread takes a stretch of the documents: it writes their contents to their place in the
//! file and adds them to its posting lists while they are warm. Then the lists are joined and
//! written to their places. Where all lists would not fit into memory, they are built in windows,
//! one after the other; each reads the contents once more.
//!
//! Bytes:   docs/formats/zoekt.md, section *Sections*

use std::collections::BTreeMap;
use std::ops::Range;

use manicule_core::watch::Meter;
use manicule_format_zoekt::{
    COMPOUND_VERSION, FEATURE_VERSION, FORMAT_VERSION, IndexMetadata, Layout, Placed, Repository,
    RuneSamples, Section, ascii_len, ids_bitmap, rune_count, short_deltas, sized_deltas,
};
use manicule_store::threads::{self, Chunks};
use manicule_store::{OutFile, Spill, zeroed};

use super::document::Document;
use super::grams::Grams;
use super::joined::{Entry, Joined};
use super::sections::{PIECE_LEN, Piece, WriteError, place_ngrams, put, put_ends, put_items};
use super::symbols::SymbolSections;
use super::windows::{Census, PAIR_COUNT, PAIR_STATES_LEN, Window};

/// Memory beside contents and posting lists: states of lists, names, buffers.
const SPARE: u64 = 40 << 20;
/// The least that is taken for posting lists, however little was allowed.
const LISTS_MIN: u64 = 6 << 20;
/// The least pairs that a window has.
const PAIR_MIN: u64 = 256;

/// Runes up to which a corpus is a small one, for which the table of all ASCII trigrams takes
/// longer than its texts.
const SMALL: u64 = 500_000;

/// Metadata of a shard, beside its documents.
pub(in crate::shards) struct About<'a> {
    pub(in crate::shards) repositories: Repositories<'a>,
    pub(in crate::shards) index_time: &'a str,
    pub(in crate::shards) id: &'a str,
    pub(in crate::shards) zoekt_version: &'a str,
}

/// The repositories of a shard, which decide its format.
#[derive(Clone, Copy, Debug)]
pub(in crate::shards) enum Repositories<'a> {
    /// Format 16: all documents are of this one.
    One(&'a Repository),
    /// Format 17: documents say by number of which.
    Several(&'a [Repository]),
}

/// Summary of a written index.
#[derive(Clone, Copy, Debug)]
pub(in crate::shards) struct Written {
    pub(in crate::shards) len: u64,
    pub(in crate::shards) posting_count: u64,
    pub(in crate::shards) window_count: usize,
}

/// Writes shards, one after the other, and keeps its memory between them.
pub(in crate::shards) struct Writer<'w> {
    pub(in crate::shards) about: About<'w>,
    pub(in crate::shards) spill: &'w Spill,
    pub(in crate::shards) threads: usize,
    /// Bytes of memory to keep to, contents that are held included.
    pub(in crate::shards) memory: u64,
    /// Counts half the bytes of text whose posting lists are built, and is asked before each
    /// document whether to go on.
    pub(in crate::shards) meter: &'w Meter<'w>,
    pub(in crate::shards) grams: Vec<Grams>,
}

/// The documents of a shard in its order, and where each begins.
struct Corpus<'d> {
    documents: &'d [&'d Document],
    /// The first rune of each document, and the end of the last.
    runes: Vec<u32>,
    /// The first byte of each document, and the end of the last.
    bytes: Vec<u64>,
    stretches: Vec<Range<usize>>,
}

impl<'d> Corpus<'d> {
    fn new(documents: &'d [&'d Document], threads: usize) -> Self {
        let (mut runes, mut bytes) = (vec![0u32], vec![0u64]);
        let (mut rune, mut byte) = (0u32, 0u64);
        for document in documents {
            // A corpus of more runes than fit has more bytes than a shard may have, and is refused
            // for that.
            rune = rune.wrapping_add(document.rune_count);
            byte += u64::from(document.len);
            runes.push(rune);
            bytes.push(byte);
        }
        let cut = |part: usize| {
            let target = byte * part as u64 / threads as u64;
            bytes[..documents.len()].partition_point(|start| *start < target)
        };
        let mut stretches = Vec::new();
        for part in 0..threads {
            let end = if part + 1 == threads { documents.len() } else { cut(part + 1) };
            stretches.push(if part == 0 { 0..end } else { cut(part)..end });
        }
        Corpus { documents, runes, bytes, stretches }
    }

    fn rune_count(&self) -> u64 {
        self.documents.iter().map(|document| u64::from(document.rune_count)).sum()
    }
}

impl Writer<'_> {
    /// Writes the shard of `documents`, which are in the order of the shard, into the empty file
    /// `file`.
    pub(in crate::shards) fn write(
        &mut self,
        file: &OutFile,
        documents: &[&Document],
    ) -> Result<Written, WriteError> {
        let corpus = Corpus::new(documents, self.threads);
        let mut layout = Layout::default();
        let contents = layout
            .compound(Section::FileContents, documents.iter().map(|document| document.len))?;
        file.write_all_at(&contents.index, contents.index_at)?;
        let symbols = SymbolSections::new(documents, &corpus.runes);
        self.put_documents_front(file, &mut layout, documents, &symbols)?;
        let samples = self.put_postings(file, &mut layout, &corpus)?;
        put(file, &mut layout, Section::RuneOffsets, &sized_deltas(samples.offsets.into_iter()))?;
        put_ends(file, &mut layout, Section::FileEndRunes, &corpus.runes)?;
        let names_ascii = self.put_names(file, &mut layout, documents)?;
        let plain_ascii = names_ascii && documents.iter().all(|document| document.is_ascii);
        let about = AboutTexts { plain_ascii, symbol_runes: &symbols.runes };
        self.put_back(file, &mut layout, documents, &about)?;
        let (at, end) = layout.finish()?;
        file.write_all_at(&end, at)?;
        Ok(Written {
            len: at + end.len() as u64,
            posting_count: samples.posting_count,
            window_count: samples.window_count,
        })
    }

    /// The sections between the contents and the trigrams. Without symbols most of them are empty.
    fn put_documents_front(
        &self,
        file: &OutFile,
        layout: &mut Layout,
        documents: &[&Document],
        symbols: &SymbolSections,
    ) -> Result<(), WriteError> {
        let newlines = documents.iter().map(|document| &*document.newlines);
        put_items(file, layout, Section::Newlines, newlines)?;
        put(file, layout, Section::FileEndSymbol, &symbols.ends)?;
        put_items(file, layout, Section::SymbolMap, symbols.parents.iter().map(|word| &**word))?;
        put_items(file, layout, Section::SymbolKindMap, symbols.kinds.iter().map(|word| &**word))?;
        put(file, layout, Section::SymbolMetaData, &symbols.metadata)?;
        let masks: Vec<u8> =
            documents.iter().flat_map(|document| document.branch_mask.to_be_bytes()).collect();
        put(file, layout, Section::BranchMasks, &masks)?;
        put_items(file, layout, Section::FileSections, symbols.spans())
    }

    /// Contents, trigrams and postings.
    fn put_postings(
        &mut self,
        file: &OutFile,
        layout: &mut Layout,
        corpus: &Corpus<'_>,
    ) -> Result<Samples, WriteError> {
        let Plan { windows, ngram_count, lists_len } = self.plan(corpus)?;
        self.make_builders(lists_len);
        let mut place = ngram_count.map(|count| place_ngrams(layout, count)).transpose()?;
        let mut samples = Samples { window_count: windows.len(), ..Samples::default() };
        let mut entries: Vec<Entry> = Vec::new();
        for (number, window) in windows.iter().enumerate() {
            let pass = if number == 0 { Pass::First } else { Pass::Later };
            let offsets = self.build(file, corpus, *window, pass)?;
            samples.offsets.extend(offsets);
            let joined = Joined::new(&self.grams);
            let first = entries.len();
            entries.extend(joined.entries());
            let ngrams = match place {
                Some(place) => place,
                None => *place.insert(place_ngrams(layout, entries.len())?),
            };
            let before: u64 = entries[..first].iter().map(|entry| u64::from(entry.len)).sum();
            let at = ngrams + (ngram_count.unwrap_or(entries.len()) * 8) as u64 + before;
            self.gather(file, &joined, &entries[first..], at)?;
        }
        let numbers: Vec<u8> = entries.iter().flat_map(|entry| entry.ngram.to_be_bytes()).collect();
        file.write_all_at(&numbers, place.expect("there is a window"))?;
        let lens = entries.iter().map(|entry| entry.len);
        let Placed { index_at, index, .. } = layout.compound(Section::Postings, lens)?;
        file.write_all_at(&index, index_at)?;
        samples.posting_count =
            corpus.documents.iter().map(|d| u64::from(d.rune_count.saturating_sub(2))).sum();
        Ok(samples)
    }

    /// Into which windows the lists fall so that memory suffices.
    fn plan(&self, corpus: &Corpus<'_>) -> Result<Plan, WriteError> {
        let held: u64 = corpus.documents.iter().map(|document| document.held_len()).sum();
        let left = self.memory.saturating_sub(held + SPARE).max(LISTS_MIN);
        let wanted = Grams::arena_len_for(corpus.rune_count());
        if corpus.rune_count() <= SMALL {
            return Ok(Plan {
                windows: vec![Window::AS_THEY_COME],
                ngram_count: None,
                lists_len: 0,
            });
        }
        if wanted <= left {
            return Ok(Plan { windows: vec![Window::ALL], ngram_count: None, lists_len: wanted });
        }
        let mut census = Census::new();
        let mut buffer = Vec::new();
        for document in corpus.documents {
            census.add(document.stored(self.spill, &mut buffer)?);
        }
        // The states of lists take their part too, whether the lists hold much or little.
        let (for_states, for_lists) = (left / 4, left - left / 4);
        let pair_max = for_states / (PAIR_STATES_LEN * self.threads as u64);
        let pair_max = pair_max.clamp(PAIR_MIN, PAIR_COUNT.into()) as u32;
        let windows = census.windows(Grams::positions_in(for_lists), pair_max);
        Ok(Plan { windows, ngram_count: Some(census.distinct()), lists_len: for_lists })
    }

    /// Makes a builder for each thread, with its share of the memory. What is asked for at once and
    /// not touched costs nothing; what grows step by step leaves holes.
    fn make_builders(&mut self, len: u64) {
        let share = len as usize / self.threads;
        for _ in self.grams.len()..self.threads {
            self.grams.push(Grams::new(Window::AS_THEY_COME, zeroed(share)));
        }
    }

    /// Builds the lists of a window, a stretch a thread. The first pass also writes the contents,
    /// and samples their runes.
    fn build(
        &mut self,
        file: &OutFile,
        corpus: &Corpus<'_>,
        window: Window,
        pass: Pass,
    ) -> Result<Vec<u32>, WriteError> {
        let build = Stretches { spill: self.spill, meter: self.meter, file, corpus };
        let shares = self.grams.iter_mut().zip(&corpus.stretches);
        let sampled = threads::one_each(shares, |(grams, stretch)| {
            grams.reset(window);
            build.build(grams, stretch.clone(), pass)
        });
        Ok(sampled.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Writes the lists of `entries` from offset `at` on.
    fn gather(
        &self,
        file: &OutFile,
        joined: &Joined<'_>,
        entries: &[Entry],
        at: u64,
    ) -> Result<(), WriteError> {
        // Pieces of whole lists, dealt out to the threads.
        let mut pieces: Vec<(u64, Range<usize>)> = Vec::new();
        let (mut piece_at, mut next_at, mut first) = (at, at, 0);
        for (index, entry) in entries.iter().enumerate() {
            next_at += u64::from(entry.len);
            if next_at - piece_at >= PIECE_LEN as u64 || index + 1 == entries.len() {
                pieces.push((piece_at, first..index + 1));
                (piece_at, first) = (next_at, index + 1);
            }
        }
        let turns = Chunks::new(0..pieces.len(), 1);
        let write_some = || {
            let mut buffer = Vec::with_capacity(PIECE_LEN * 2);
            for (at, range) in (&turns).flatten().map(|turn| &pieces[turn]) {
                buffer.clear();
                let entries = &entries[range.clone()];
                entries.iter().for_each(|entry| joined.gather(entry.ngram, &mut buffer));
                file.write_all_at(&buffer, *at)?;
            }
            Ok(())
        };
        threads::fold(self.threads, write_some, Result::and)
    }

    /// The names and their trigrams. Tells whether all of them are ASCII.
    fn put_names(
        &mut self,
        file: &OutFile,
        layout: &mut Layout,
        documents: &[&Document],
    ) -> Result<bool, WriteError> {
        let names = || documents.iter().map(|document| document.name.as_slice());
        put_items(file, layout, Section::FileNames, names())?;
        let grams = &mut self.grams[0];
        grams.reset(Window::AS_THEY_COME);
        let mut samples = RuneSamples::default();
        let mut ends = vec![0u32];
        let mut is_ascii = true;
        for name in names() {
            let start = *ends.last().expect("it begins with one");
            let count = rune_count(name) as u32;
            grams.add(name, start);
            samples.add(name, count);
            ends.push(start + count);
            is_ascii &= ascii_len(name) == name.len();
        }
        let joined = Joined::new(&self.grams[..1]);
        let entries = joined.entries();
        let numbers: Vec<u8> = entries.iter().flat_map(|entry| entry.ngram.to_be_bytes()).collect();
        put(file, layout, Section::NameNgramText, &numbers)?;
        let placed =
            layout.compound(Section::NamePostings, entries.iter().map(|entry| entry.len))?;
        self.gather(file, &joined, &entries, placed.at)?;
        file.write_all_at(&placed.index, placed.index_at)?;
        let offsets = sized_deltas(samples.offsets().iter().copied());
        put(file, layout, Section::NameRuneOffsets, &offsets)?;
        put_ends(file, layout, Section::NameEndRunes, &ends)?;
        Ok(is_ascii)
    }

    /// The sections after the names.
    fn put_back(
        &self,
        file: &OutFile,
        layout: &mut Layout,
        documents: &[&Document],
        about: &AboutTexts<'_>,
    ) -> Result<(), WriteError> {
        let sub_repositories = documents.iter().map(|document| document.sub_repository);
        put(file, layout, Section::SubRepos, &sized_deltas(sub_repositories))?;
        let checksums: Vec<u8> = documents.iter().flat_map(|document| document.checksum).collect();
        put(file, layout, Section::ContentChecksums, &checksums)?;
        let (language_map, codes) = languages(documents)?;
        put(file, layout, Section::Languages, &codes)?;
        let categories: Vec<u8> =
            documents.iter().map(|document| document.class.category as u8).collect();
        put(file, layout, Section::Categories, &categories)?;
        put(file, layout, Section::RuneDocSections, about.symbol_runes)?;
        let (index_format_version, about_repositories) = match self.about.repositories {
            Repositories::One(repository) => {
                layout.leave_out(Section::Repos);
                layout.leave_out(Section::ReposIdsBitmap);
                (FORMAT_VERSION, repository.encode())
            }
            Repositories::Several(repositories) => {
                let numbers = documents.iter().map(|document| document.repository);
                put(file, layout, Section::Repos, &short_deltas(numbers))?;
                match ids_bitmap(repositories) {
                    Some(bitmap) => put(file, layout, Section::ReposIdsBitmap, &bitmap)?,
                    None => layout.leave_out(Section::ReposIdsBitmap),
                }
                (COMPOUND_VERSION, Repository::encode_all(repositories))
            }
        };
        let metadata = IndexMetadata {
            index_format_version,
            index_feature_version: FEATURE_VERSION,
            index_time: self.about.index_time.to_owned(),
            plain_ascii: about.plain_ascii,
            language_map,
            zoekt_version: self.about.zoekt_version.to_owned(),
            id: self.about.id.to_owned(),
            ..IndexMetadata::default()
        };
        put(file, layout, Section::MetaData, &metadata.encode())?;
        put(file, layout, Section::RepoMetaData, &about_repositories)
    }
}

/// What the sections after the names say of all texts.
struct AboutTexts<'t> {
    plain_ascii: bool,
    symbol_runes: &'t [u8],
}

/// Whether the contents are still to be written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    First,
    Later,
}

/// Plan of building posting lists.
struct Plan {
    windows: Vec<Window>,
    /// Number of trigrams; with one window that is known only once it is built.
    ngram_count: Option<usize>,
    /// Bytes for the lists of a window.
    lists_len: u64,
}

/// Results of building beside the lists themselves.
#[derive(Default)]
struct Samples {
    offsets: Vec<u32>,
    posting_count: u64,
    window_count: usize,
}

/// State shared by the threads that build lists.
struct Stretches<'w> {
    spill: &'w Spill,
    meter: &'w Meter<'w>,
    file: &'w OutFile,
    corpus: &'w Corpus<'w>,
}

impl Stretches<'_> {
    fn build(
        &self,
        grams: &mut Grams,
        stretch: Range<usize>,
        pass: Pass,
    ) -> Result<Vec<u32>, WriteError> {
        let corpus = self.corpus;
        let (first_rune, first_byte) = (corpus.runes[stretch.start], corpus.bytes[stretch.start]);
        let mut samples = RuneSamples::starting_at(first_rune, first_byte as u32);
        let mut out = Piece::at(self.file, first_byte);
        let mut buffer = Vec::new();
        for index in stretch {
            if self.meter.watch().is_over() {
                return Err(WriteError::Stopped);
            }
            let document = corpus.documents[index];
            let text = document.stored(self.spill, &mut buffer)?;
            grams.add(text, corpus.runes[index]);
            if pass == Pass::First {
                samples.add(text, document.rune_count);
                out.push(text)?;
                self.meter.add(text.len().div_ceil(2) as u64);
            }
        }
        out.flush()?;
        Ok(samples.offsets().to_vec())
    }
}

/// The code of each language, by first sight, and the codes of the documents.
fn languages(documents: &[&Document]) -> Result<(BTreeMap<String, u16>, Vec<u8>), WriteError> {
    let mut map: BTreeMap<String, u16> = BTreeMap::new();
    let mut codes = Vec::with_capacity(documents.len() * 2);
    for document in documents {
        let language = document.class.language.as_ref();
        let code = match map.get(language) {
            Some(code) => *code,
            None => {
                let code = u16::try_from(map.len()).map_err(|_| WriteError::Languages)?;
                map.insert(language.to_owned(), code);
                code
            }
        };
        codes.extend_from_slice(&code.to_le_bytes());
    }
    Ok((map, codes))
}
