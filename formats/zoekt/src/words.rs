//! Words that a shard stores for a document: its category, and why it isn't indexed.
//!
//! Bytes:   docs/formats/zoekt.md, sections *categories* and *fileContents*

/// Category of a document, as a byte of section *categories*. 0 is never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Category {
    /// Nothing in particular.
    Default = 1,
    /// A test.
    Test = 2,
    /// Somebody else's code, kept here.
    Vendored = 3,
    /// Made by a program.
    Generated = 4,
    /// Settings.
    Config = 5,
    /// Its name begins with a dot.
    Dotfile = 6,
    /// Text for people.
    Documentation = 7,
    /// Not text.
    Binary = 8,
}

impl Category {
    /// All of them, in the order of their bytes.
    pub const ALL: [Category; 8] = [
        Category::Default,
        Category::Test,
        Category::Vendored,
        Category::Generated,
        Category::Config,
        Category::Dotfile,
        Category::Documentation,
        Category::Binary,
    ];

    /// The category of a byte.
    pub fn from_byte(byte: u8) -> Option<Category> {
        Category::ALL.into_iter().find(|category| *category as u8 == byte)
    }

    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Category::Default => "default",
            Category::Test => "test",
            Category::Vendored => "vendored",
            Category::Generated => "generated",
            Category::Config => "config",
            Category::Dotfile => "dotfile",
            Category::Documentation => "documentation",
            Category::Binary => "binary",
        }
    }
}

/// Reason that a document's content is not in the shard. Its name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Skip {
    /// Larger than the size limit.
    TooLarge,
    /// One or two bytes.
    TooSmall,
    /// It holds a NUL.
    Binary,
    /// More distinct trigrams than the limit.
    TooManyTrigrams,
}

impl Skip {
    /// The reasons.
    pub const ALL: [Skip; 4] =
        [Skip::TooLarge, Skip::TooSmall, Skip::Binary, Skip::TooManyTrigrams];

    /// Marker that the shard stores in place of the content.
    pub fn marker(self) -> &'static [u8] {
        match self {
            Skip::TooLarge => b"NOT-INDEXED: exceeds the maximum size limit",
            Skip::TooSmall => b"NOT-INDEXED: contains too few trigrams",
            Skip::Binary => b"NOT-INDEXED: contains binary content",
            Skip::TooManyTrigrams => b"NOT-INDEXED: contains too many trigrams",
        }
    }
}
