//! restic repositories: every byte of their files.
//!
//! Bytes:   docs/formats/restic.md

mod base64;
mod blob;
mod cache;
mod config;
mod decompress;
mod digits;
mod id;
mod indent;
mod index;
mod key_file;
mod lock;
mod mode;
mod outline;
mod pack;
mod seal;
mod signs;
mod snapshot;
mod tar;
mod time;
mod tree;
mod unpacked;
mod zip;

pub use blob::{BlobKind, PackedBlob, Place};
pub use cache::{
    CacheError, CacheFrame, CacheKind, CacheSection, CachedFile, CachedNode, CachedPack,
    CachedTree, IndexContents, Numbers, PACK_ROW_LEN, TreesContents, put_cached_tree, renumber,
};
pub use config::{Config, ConfigError, Version};
pub use decompress::{DecompressError, Decompressor};
pub use id::{Id, IdHasher, IdPrefix};
pub use indent::indent;
pub use index::{INDEX_BLOB_COUNT_FULL, IndexForm, IndexSink, IndexWriter, ListedPack, read_index};
pub use key_file::{KeyCost, KeyError, KeyFile, KeyLimits};
pub use lock::Lock;
pub use mode::Mode;
pub use outline::{outline_pack, outline_sealed};
pub use pack::{
    BlobError, HEADER_LEN_MAX, OpenedBlob, PACK_BLOB_COUNT_MAX, PACK_END_LEN, PACK_LEN_MIN,
    PackError, PackHeader, eager_len, entry_len, header_len_at_end, open_blob, open_header,
    pack_len, put_header, sealed_header_len,
};
pub use seal::{ENVELOPE_LEN, IV_LEN, Key, SealError, ZeroKey};
pub use signs::{CONFIG_NAME, FileKind, is_of_repository, is_repository};
pub use snapshot::{Snapshot, SnapshotFilter, Summary, newest, read_tags};
pub use tar::{TAR_BLOCK_LEN, pad, put_tar_end, put_tar_header};
pub use time::{Moment, Time};
pub use tree::{
    ExtendedAttribute, FoundObject, Node, NodeChecks, NodeFault, NodeKind, Nodes, OwnedNode,
    encode_tree, put_found_fields, put_found_path, put_human_len, put_listed_node, put_long_fields,
    put_long_target, put_ncdu_node, put_node,
};
pub use unpacked::{UnpackError, pack_unpacked, unpack};
pub use zip::{ZipEntry, put_zip_end};
