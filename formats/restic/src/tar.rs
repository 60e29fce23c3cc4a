//! Tar, as restic's dump writes it: USTAR where that can hold a header, else PAX before it; whole
//! seconds.
//!
//! Bytes:   docs/formats/restic.md, section Archives

use std::collections::BTreeMap;

use crate::time::Time;
use crate::tree::OwnedNode;

/// Length of a block: headers have one, contents whole ones.
pub const TAR_BLOCK_LEN: usize = 512;
const NAME_LEN: usize = 100;
const PREFIX_LEN: usize = 155;
const USER_LEN: usize = 32;

/// Appends the header of a node. `path` is without a slash in front.
pub fn put_tar_header(path: &[u8], node: &OwnedNode, out: &mut Vec<u8>) {
    let header = Header::of(path, node);
    let records = header.records(node);
    if records.is_empty() {
        return header.put(Form::Ustar, out);
    }
    let mut text = Vec::new();
    records.iter().for_each(|(key, value)| put_record(key, value, &mut text));
    let (folder, name) = match path.iter().rposition(|byte| *byte == b'/') {
        Some(slash) => path.split_at(slash + 1),
        None => (&[][..], path),
    };
    let mut name = to_ascii(&[folder, b"PaxHeaders.0/", name].concat());
    name.truncate(NAME_LEN);
    while name.last() == Some(&b'/') {
        name.pop();
    }
    let extended = Header { name, kind: b'x', size: text.len() as u64, ..Header::empty() };
    extended.put(Form::Pax, out);
    out.extend_from_slice(&text);
    pad(text.len() as u64, out);
    header.put(Form::Pax, out);
}

/// Appends what follows a content of this length, up to the end of its block.
pub fn pad(len: u64, out: &mut Vec<u8>) {
    let over = (len % TAR_BLOCK_LEN as u64) as usize;
    out.resize(out.len() + (TAR_BLOCK_LEN - over) % TAR_BLOCK_LEN, 0);
}

/// Appends the end of an archive.
pub fn put_tar_end(out: &mut Vec<u8>) {
    out.resize(out.len() + 2 * TAR_BLOCK_LEN, 0);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Ustar,
    Pax,
}

#[derive(Clone, Debug)]
struct Header {
    name: Vec<u8>,
    link: Vec<u8>,
    kind: u8,
    mode: u64,
    uid: u64,
    gid: u64,
    size: u64,
    mtime: i64,
    user: Vec<u8>,
    group: Vec<u8>,
}

impl Header {
    fn empty() -> Self {
        let [name, link, user, group] = [const { Vec::new() }; 4];
        Header { name, link, kind: b'0', mode: 0, uid: 0, gid: 0, size: 0, mtime: 0, user, group }
    }

    fn of(path: &[u8], node: &OwnedNode) -> Self {
        let (is_folder, is_link) = (node.kind == "dir", node.kind == "symlink");
        let slash: &[u8] = if is_folder { b"/" } else { b"" };
        let moment = node.mtime.moment;
        Header {
            name: [path, slash].concat(),
            link: if is_link { node.link_target.clone() } else { Vec::new() },
            kind: if is_folder {
                b'5'
            } else if is_link {
                b'2'
            } else {
                b'0'
            },
            mode: node.mode.of_system().into(),
            uid: node.uid.into(),
            gid: node.gid.into(),
            size: node.size,
            // To the nearest second, as Go rounds; no time at all is 1970.
            mtime: if moment == Time::ZERO.moment {
                0
            } else {
                moment.seconds + i64::from(moment.nanos >= 500_000_000)
            },
            user: node.user.clone().into_bytes(),
            group: node.group.clone().into_bytes(),
        }
    }

    /// What a PAX header has to say, ordered: nothing where USTAR holds all.
    fn records(&self, node: &OwnedNode) -> BTreeMap<Vec<u8>, Vec<u8>> {
        let mut records = BTreeMap::new();
        let mut text = |key: &str, value: &[u8], len: usize, is_split: bool| {
            let fits = value.is_ascii() && (value.len() <= len || is_split);
            if !fits {
                records.insert(key.as_bytes().to_vec(), value.to_vec());
            }
        };
        text("path", &self.name, NAME_LEN, split(&self.name).is_some());
        text("linkpath", &self.link, NAME_LEN, false);
        text("uname", &self.user, USER_LEN, false);
        text("gname", &self.group, USER_LEN, false);
        for (key, value, digits) in
            [("uid", self.uid, 7), ("gid", self.gid, 7), ("size", self.size, 11)]
        {
            if value >> (3 * digits) != 0 {
                records.insert(key.as_bytes().to_vec(), value.to_string().into_bytes());
            }
        }
        if self.mtime < 0 || self.mtime >> 33 != 0 {
            records.insert(b"mtime".to_vec(), self.mtime.to_string().into_bytes());
        }
        for attribute in &node.extended_attributes {
            let key = format!("SCHILY.xattr.{}", attribute.name).into_bytes();
            records.insert(key, attribute.value.clone());
        }
        // What goes with another record is said again there.
        if !records.is_empty() && split(&self.name).is_some() {
            records.insert(b"path".to_vec(), self.name.clone());
        }
        records
    }

    fn put(&self, form: Form, out: &mut Vec<u8>) {
        let mut block = [0u8; TAR_BLOCK_LEN];
        let (prefix, name) = match split(&self.name).filter(|_| form == Form::Ustar) {
            Some((prefix, name)) => (prefix.to_vec(), name.to_vec()),
            None => (Vec::new(), to_ascii(&self.name)),
        };
        put_text(&mut block[0..100], &name);
        put_octal(&mut block[100..108], self.mode);
        put_octal(&mut block[108..116], self.uid);
        put_octal(&mut block[116..124], self.gid);
        put_octal(&mut block[124..136], self.size);
        put_octal(&mut block[136..148], u64::try_from(self.mtime).unwrap_or(u64::MAX));
        block[148..156].fill(b' ');
        block[156] = self.kind;
        put_text(&mut block[157..257], &to_ascii(&self.link));
        block[257..265].copy_from_slice(b"ustar\x0000");
        put_text(&mut block[265..297], &to_ascii(&self.user));
        put_text(&mut block[297..329], &to_ascii(&self.group));
        if self.kind != b'x' {
            put_octal(&mut block[329..337], 0);
            put_octal(&mut block[337..345], 0);
        }
        put_text(&mut block[345..500], &prefix);
        let sum: u64 = block.iter().map(|byte| u64::from(*byte)).sum();
        put_octal(&mut block[148..155], sum);
        block[155] = b' ';
        out.extend_from_slice(&block);
    }
}

/// The two parts of a long name that USTAR holds, cut at a slash.
fn split(name: &[u8]) -> Option<(&[u8], &[u8])> {
    if name.len() <= NAME_LEN || !name.is_ascii() {
        return None;
    }
    let mut len = name.len();
    if len > PREFIX_LEN + 1 {
        len = PREFIX_LEN + 1;
    } else if name.last() == Some(&b'/') {
        len -= 1;
    }
    let at = name[..len].iter().rposition(|byte| *byte == b'/')?;
    let rest = name.len() - at - 1;
    let is_cut = at > 0 && rest > 0 && rest <= NAME_LEN && at <= PREFIX_LEN;
    is_cut.then(|| (&name[..at], &name[at + 1..]))
}

/// What of a text is ASCII, without NUL.
fn to_ascii(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|byte| byte.is_ascii() && *byte != 0).collect()
}

/// A text, with a NUL behind it where there is room. One that is cut after a slash ends before the
/// slashes, lest it look like a folder.
fn put_text(place: &mut [u8], text: &[u8]) {
    let len = text.len().min(place.len());
    place[..len].copy_from_slice(&text[..len]);
    if text.len() > place.len() && place.last() == Some(&b'/') {
        let kept = place[..len - 1].iter().rposition(|byte| *byte != b'/');
        place[kept.map_or(0, |last| last + 1)] = 0;
    }
}

/// Digits with zeros before them and a NUL behind; zeros where it doesn't fit.
fn put_octal(place: &mut [u8], number: u64) {
    let width = place.len() - 1;
    let fits = width * 3 >= 64 || number >> (width * 3) == 0;
    let text = format!("{:0width$o}", if fits { number } else { 0 });
    place[..width].copy_from_slice(text.as_bytes());
    place[width] = 0;
}

/// `LENGTH KEY=VALUE` and a line end, the length of all that in front.
fn put_record(key: &[u8], value: &[u8], out: &mut Vec<u8>) {
    let rest = key.len() + value.len() + b" =\n".len();
    let mut len = rest + rest.to_string().len();
    if len.to_string().len() != rest.to_string().len() {
        len = rest + len.to_string().len();
    }
    out.extend_from_slice(len.to_string().as_bytes());
    out.push(b' ');
    out.extend_from_slice(key);
    out.push(b'=');
    out.extend_from_slice(value);
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_count_their_own_length() {
        for (value, want) in
            [(1, "6 k=v\n"), (3, "8 k=vvv\n"), (4, "9 k=vvvv\n"), (5, "11 k=vvvvv\n")]
        {
            let mut out = Vec::new();
            put_record(b"k", &vec![b'v'; value], &mut out);
            assert_eq!(out, want.as_bytes());
        }
    }

    #[test]
    fn long_names_are_cut_at_a_slash_where_both_parts_fit() {
        let long = |folder: usize, name: usize| {
            [vec![b'f'; folder], b"/".to_vec(), vec![b'n'; name]].concat()
        };
        for (folder, name, want) in [
            (10, 80, None),
            (10, 90, Some(10)),
            (155, 100, Some(155)),
            (156, 100, None),
            (10, 101, None),
        ] {
            assert_eq!(
                split(&long(folder, name)).map(|(prefix, _)| prefix.len()),
                want,
                "{folder} {name}"
            );
        }
        assert_eq!(split("\u{e4}".repeat(80).as_bytes()), None);
    }
}
