//! Reports about blocks as JSON.

mod analysis;
mod growth;
mod inspected;
mod made;
mod salvaged;
mod series;

pub use analysis::Analysed;
pub use growth::Compared;
pub use inspected::{DataFolder, Deleted};
pub use made::{LongIndex, MadeOf};
pub use series::{Differing, LabelCount, Labelled};
