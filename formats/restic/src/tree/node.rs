//! A node of a tree: a file, a folder, a link, or whatever else a folder has in it.
//!
//! Bytes:   docs/formats/restic.md, section Trees

use std::borrow::Cow;

use manicule_core::go::json::{Json, JsonError, Text};
use manicule_core::go::{NotQuoted, unquote};

use crate::mode::Mode;
use crate::time::Time;
use crate::{Id, base64};

/// What a node is: its field `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "restic's own words")]
pub enum NodeKind {
    File,
    Dir,
    Symlink,
    /// A device of blocks.
    Dev,
    /// A device of characters.
    CharDev,
    Fifo,
    Socket,
    Irregular,
    /// A word that restic doesn't know, or none.
    Other,
}

impl NodeKind {
    /// The kind of a word in the field `type`.
    pub fn of(word: &str) -> Self {
        match word {
            "file" => NodeKind::File,
            "dir" => NodeKind::Dir,
            "symlink" => NodeKind::Symlink,
            "dev" => NodeKind::Dev,
            "chardev" => NodeKind::CharDev,
            "fifo" => NodeKind::Fifo,
            "socket" => NodeKind::Socket,
            "irregular" => NodeKind::Irregular,
            _ => NodeKind::Other,
        }
    }

    /// The kind of a word as it stands in JSON.
    pub(super) fn of_raw(raw: &[u8]) -> Self {
        NodeKind::of(&Text::of(raw).decode())
    }

    /// The bits of a mode that go with the kind; restic's long listings show them even where the
    /// mode lacks them.
    pub fn mode(self) -> Mode {
        match self {
            NodeKind::Dir => Mode::DIR,
            NodeKind::Symlink => Mode::SYMLINK,
            NodeKind::Dev => Mode::DEVICE,
            NodeKind::CharDev => Mode(Mode::DEVICE.0 | Mode::CHARACTERS.0),
            NodeKind::Fifo => Mode::FIFO,
            NodeKind::Socket => Mode::SOCKET,
            NodeKind::File | NodeKind::Irregular | NodeKind::Other => Mode(0),
        }
    }
}

/// A node, borrowed from the text of its tree but for the ids in it. All of it has been checked;
/// what is a text is decoded when asked for.
///
/// A field that the text lacks has Go's zero: 0, the empty text, [`Time::ZERO`].
#[derive(Clone, Debug)]
pub struct Node<'t> {
    /// Offset of the node in the tree's text, in bytes.
    pub at: u64,
    /// What it is.
    pub kind: NodeKind,
    /// Its mode.
    pub mode: Mode,
    /// When its contents were last changed.
    pub mtime: Time,
    /// When it was last read.
    pub atime: Time,
    /// When it itself was last changed.
    pub ctime: Time,
    /// Number of its owner.
    pub uid: u32,
    /// Number of its group.
    pub gid: u32,
    /// Number of its inode.
    pub inode: u64,
    /// Number of the device that it lay on.
    pub device_id: u64,
    /// Size of a file, in bytes.
    pub size: u64,
    /// Number of hard links to it.
    pub links: u64,
    /// Number of the device that it is.
    pub device: u64,
    /// The tree of a folder, of whatever kind the node is.
    pub subtree: Option<Id>,
    pub(super) texts: Texts<'t>,
    /// Whether it has a list of content, which may be empty.
    pub(super) is_listed: bool,
    /// That list. Nodes of a tree have one after the other the same memory for it.
    pub(super) ids: Vec<Id>,
}

/// What of a node stands as text: bodies of JSON strings, and whole JSON values of the attributes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Texts<'t> {
    pub(super) name: &'t [u8],
    pub(super) kind: &'t [u8],
    pub(super) user: &'t [u8],
    pub(super) group: &'t [u8],
    pub(super) link_target: &'t [u8],
    pub(super) link_target_raw: Option<&'t [u8]>,
    pub(super) error: &'t [u8],
    pub(super) extended_attributes: Option<&'t [u8]>,
    pub(super) generic_attributes: Option<&'t [u8]>,
}

/// An extended attribute of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtendedAttribute {
    /// Such as `user.note`.
    pub name: String,
    /// Any bytes.
    pub value: Vec<u8>,
}

impl<'t> Node<'t> {
    /// A node without any field.
    pub(super) fn empty() -> Self {
        Node {
            at: 0,
            kind: NodeKind::Other,
            mode: Mode(0),
            mtime: Time::ZERO,
            atime: Time::ZERO,
            ctime: Time::ZERO,
            uid: 0,
            gid: 0,
            inode: 0,
            device_id: 0,
            size: 0,
            links: 0,
            device: 0,
            subtree: None,
            texts: Texts::default(),
            is_listed: false,
            ids: Vec::new(),
        }
    }

    /// Makes it a node without any field again, at an offset. The memory of its ids stays.
    #[inline]
    pub(super) fn clear(&mut self, at: u64) {
        let mut ids = std::mem::take(&mut self.ids);
        ids.clear();
        *self = Node { at, ids, ..Node::empty() };
    }

    /// Data blobs, of whatever kind the node is; `None` for `null`, which restic writes for all but
    /// files.
    pub fn content(&self) -> Option<&[Id]> {
        self.is_listed.then_some(&self.ids)
    }

    /// The data blobs that the node needs: those of a file. A null id among them is no blob.
    pub fn blobs(&self) -> &[Id] {
        match self.kind {
            NodeKind::File => &self.ids,
            _ => &[],
        }
    }

    /// The tree below the node: that of a folder, unless it has none or a null id.
    pub fn child(&self) -> Option<Id> {
        self.subtree.filter(|id| self.kind == NodeKind::Dir && *id != Id([0; 32]))
    }

    /// The real name: any bytes, `../up` and the empty name included. Never to be joined to a path
    /// unchecked.
    pub fn name(&self) -> Cow<'t, [u8]> {
        read_name(self.texts.name).expect("the name was read before")
    }

    /// The field `type`, for a kind that is [`NodeKind::Other`].
    pub fn kind_word(&self) -> Cow<'t, str> {
        Text::of(self.texts.kind).decode()
    }

    /// Name of the owner.
    pub fn user(&self) -> Cow<'t, str> {
        Text::of(self.texts.user).decode()
    }

    /// Name of the group.
    pub fn group(&self) -> Cow<'t, str> {
        Text::of(self.texts.group).decode()
    }

    /// Target of a link: any bytes.
    pub fn link_target(&self) -> Cow<'t, [u8]> {
        match self.texts.link_target_raw {
            Some(raw) => read_bytes(raw).into(),
            None => match Text::of(self.texts.link_target).decode() {
                Cow::Borrowed(text) => text.as_bytes().into(),
                Cow::Owned(text) => text.into_bytes().into(),
            },
        }
    }

    /// An error that the writer met when it read the file.
    pub fn error(&self) -> Cow<'t, str> {
        Text::of(self.texts.error).decode()
    }

    /// Extended attributes, as they are ordered in the text.
    pub fn extended_attributes(&self) -> Vec<ExtendedAttribute> {
        let Some(raw) = self.texts.extended_attributes else { return Vec::new() };
        read_extended_attributes(&mut Json::new(raw)).expect("they were read before")
    }

    /// Generic attributes, such as `windows.creation_time`, each with its value as JSON.
    pub fn generic_attributes(&self) -> Vec<(String, &'t [u8])> {
        let Some(raw) = self.texts.generic_attributes else { return Vec::new() };
        read_generic_attributes(&mut Json::new(raw)).expect("they were read before")
    }
}

/// The real name that a field stands for, or the offset in it, after JSON's escapes, of what Go
/// doesn't unquote.
pub(super) fn read_name(raw: &[u8]) -> Result<Cow<'_, [u8]>, NotQuoted> {
    match Text::of(raw).decode() {
        Cow::Borrowed(text) => unquote(text.as_bytes()),
        Cow::Owned(text) => unquote(text.as_bytes()).map(|name| Cow::Owned(name.into_owned())),
    }
}

/// Bytes of a field in base64 that was read before.
fn read_bytes(raw: &[u8]) -> Vec<u8> {
    base64::decode(&Text::of(raw).decode()).expect("the bytes were read before")
}

/// A list of attributes; `null` for an attribute, a name or a value is an empty one.
pub(super) fn read_extended_attributes(
    json: &mut Json<'_>,
) -> Result<Vec<ExtendedAttribute>, JsonError> {
    let mut attributes = Vec::new();
    if json.list()? {
        while json.element()? {
            attributes.push(read_extended_attribute(json)?);
        }
    }
    Ok(attributes)
}

fn read_extended_attribute(json: &mut Json<'_>) -> Result<ExtendedAttribute, JsonError> {
    let mut attribute = ExtendedAttribute::default();
    if json.object()? {
        while let Some(field) = json.field()? {
            match field.among(&["name", "value"]) {
                Some("name") => {
                    let name = json.string()?.map(|text| text.decode().into_owned());
                    attribute.name = name.unwrap_or(attribute.name);
                }
                Some(_) => attribute.value = base64::field(json)?.unwrap_or_default(),
                None => json.skip()?,
            }
        }
    }
    Ok(attribute)
}

/// An object of attributes, whose values may be anything.
pub(super) fn read_generic_attributes<'a>(
    json: &mut Json<'a>,
) -> Result<Vec<(String, &'a [u8])>, JsonError> {
    let mut attributes = Vec::new();
    if json.object()? {
        while let Some(field) = json.field()? {
            attributes.push((field.decode().into_owned(), json.raw()?));
        }
    }
    Ok(attributes)
}
