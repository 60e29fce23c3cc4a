//! Hits: documents with the places in each where a match may be.

/// Documents, increasing, and the places in each where a match may be: byte offsets, increasing
/// too.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Hits {
    documents: Vec<u32>,
    /// End of the places of each document.
    ends: Vec<u32>,
    places: Vec<u32>,
}

impl Hits {
    /// Number of documents.
    pub(super) fn len(&self) -> usize {
        self.documents.len()
    }

    /// Document number `index` of them, and its places.
    pub(super) fn get(&self, index: usize) -> (u32, &[u32]) {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        (self.documents[index], &self.places[start as usize..self.ends[index] as usize])
    }

    pub(super) fn push(&mut self, document: u32, place: u32) {
        self.places.push(place);
        let end = self.places.len() as u32;
        match self.documents.last() {
            Some(last) if *last == document => *self.ends.last_mut().expect("one a document") = end,
            _ => {
                self.documents.push(document);
                self.ends.push(end);
            }
        }
    }

    /// Documents of whose places nothing is known.
    pub(super) fn of_documents(documents: &[u32]) -> Hits {
        Hits { documents: documents.to_vec(), ends: vec![0; documents.len()], places: Vec::new() }
    }

    /// Those that are among `documents`, which rise.
    pub(super) fn kept(&self, documents: &[u32]) -> Hits {
        let mut kept = Hits::default();
        for index in 0..self.len() {
            let (document, places) = self.get(index);
            if documents.binary_search(&document).is_ok() {
                kept.documents.push(document);
                kept.places.extend_from_slice(places);
                kept.ends.push(kept.places.len() as u32);
            }
        }
        kept
    }

    /// These, and others of whose places nothing is known. The others rise.
    pub(super) fn with_documents(&self, others: &[u32]) -> Hits {
        let mut all = Hits::default();
        let (mut index, mut others) = (0, others.iter().peekable());
        loop {
            let own = (index < self.len()).then(|| self.get(index));
            let (document, places) = match (own, others.peek()) {
                (None, None) => return all,
                (Some((document, places)), other)
                    if other.is_none_or(|other| document <= **other) =>
                {
                    index += 1;
                    others.next_if(|other| **other == document);
                    (document, places)
                }
                (_, other) => {
                    let other = other.copied().copied().expect("one of both is there");
                    others.next();
                    (other, &[][..])
                }
            };
            all.documents.push(document);
            all.places.extend_from_slice(places);
            all.ends.push(all.places.len() as u32);
        }
    }

    /// Places of several sequences, each once.
    pub(super) fn unite(parts: Vec<Hits>) -> Hits {
        let mut pairs = Vec::new();
        for part in &parts {
            for index in 0..part.len() {
                let (document, places) = part.get(index);
                pairs.extend(places.iter().map(|place| (document, *place)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut hits = Hits::default();
        pairs.into_iter().for_each(|(document, place)| hits.push(document, place));
        hits
    }
}
