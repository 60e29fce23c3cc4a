//! TOC.txt: which components an SSTable has.
//!
//! Bytes:   a name a line, in any order, docs/formats/sstable.md, Files

use crate::Component;
use crate::error::SstableError;
use crate::shortened::shortened;

/// Reads a TOC.txt: the components in its order. Empty lines are skipped.
pub fn read_toc(bytes: &[u8]) -> Result<Vec<Component>, SstableError> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        let (what, want) = ("table of components", "UTF-8");
        return Err(SstableError::Text { what, at: 0, want, got: shortened(bytes) });
    };
    let names = text.lines().map(str::trim).filter(|name| !name.is_empty());
    Ok(names.map(Component::of_name).collect())
}

/// Appends a TOC.txt of these components.
pub fn put_toc(components: &[Component], out: &mut Vec<u8>) {
    for component in components {
        out.extend_from_slice(component.name().as_bytes());
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_back() {
        let components = [Component::Data, Component::Crc, Component::Toc];
        let mut bytes = Vec::new();
        put_toc(&components, &mut bytes);
        assert_eq!(bytes, b"Data.db\nCRC.db\nTOC.txt\n");
        assert_eq!(read_toc(&bytes).expect("names"), components);
    }

    #[test]
    fn names_are_read_in_any_order() {
        let toc = read_toc(b"TOC.txt\nData.db\r\n\nSI_x.db").expect("names");
        let want = [Component::Toc, Component::Data, Component::Other("SI_x.db".to_owned())];
        assert_eq!(toc, want);
        assert!(read_toc(b"Data.db\n\xff").is_err());
    }
}
