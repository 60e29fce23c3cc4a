//! The engines' view of a search: conclusions from its patterns, from how files are read, and from
//! what the face makes of them.

use grep_searcher::BinaryDetection;

use super::reading::Coding;
use super::search::{Search, Wanted};
use crate::code::tree::{Look, Narrow, Nul, Reach};

/// The engine's conclusions.
pub(super) fn look(search: &Search) -> Look {
    let (reading, is_counted) = (&search.reading, search.is_counted);
    if search.wanted == Wanted::Names {
        return Look::Names;
    }
    let is_decoded = matches!(reading.coding, Coding::Named(_));
    // The bytes of files that are left out are counted without byte order marks.
    let counts_marks = is_counted && matches!(reading.coding, Coding::Raw);
    if search.wanted == Wanted::EachFile || reading.invert || is_decoded || counts_marks {
        return Look::Contents;
    }
    let need = search.patterns.need(reading);
    let is_by_line = !reading.multiline && !reading.null_data;
    let reach = if is_by_line { Reach::Line } else { Reach::Lines };
    // Over lines, and in a mapped file, ripgrep looks for a NUL only in the first 64 KiB and in the
    // lines that it prints.
    let reads_through = !reading.multiline && !reading.mapped;
    let ends_at_nul =
        reading.binary_detection(false) == BinaryDetection::quit(0) && !is_counted && reads_through;
    let nul = if ends_at_nul { Nul::EndsText } else { Nul::IsRead };
    Look::Matches(Narrow { need, reach, nul })
}
