//! Cost of a call over shards.

use manicule_core::counts;

counts! {
    /// Documents whose content was not indexed, by reason.
    pub struct NotIndexed {
        /// Longer than the largest document that is indexed.
        too_large = "not_indexed_too_large",
        /// Too short to have a trigram.
        too_small = "not_indexed_too_small",
        /// Binary.
        binary = "not_indexed_binary",
        /// More different trigrams than a text has.
        too_many_trigrams = "not_indexed_too_many_trigrams",
        /// Not in the repository any more when it was indexed.
        missing = "not_indexed_missing",
    }
}

counts! {
    /// Cost of a call.
    pub struct Receipt {
        /// Shards that were searched.
        shards,
        /// Documents in them.
        documents,
        /// Documents that the index could not rule out.
        candidates = "document_candidates",
        /// Of those, documents handed to a visitor: alive, and admitted by their names.
        visited = "documents_visited",
        /// The bytes of those.
        read_len = "documents_len",
        /// Lists of positions that were read.
        lists,
        /// Their bytes.
        list_len = "lists_len",
    } with {
        /// Documents whose content was not indexed. Only where it was asked for.
        not_indexed: NotIndexed,
    }
}
