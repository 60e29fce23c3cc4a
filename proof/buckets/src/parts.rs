//! Uploads in parts.

use std::collections::BTreeMap;

use manicule_core::hex;
use md5::{Digest, Md5};

use crate::answer::Answer;
use crate::objects::Objects;
use crate::request::Request;

/// Uploads that have not ended: their parts by number.
#[derive(Debug, Default)]
pub(crate) struct Uploads {
    open: BTreeMap<String, BTreeMap<u32, Vec<u8>>>,
    begun: u64,
}

impl Uploads {
    /// Number of uploads that neither ended nor were given up.
    pub(crate) fn count(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn begin(&mut self) -> Answer {
        self.begun += 1;
        let id = format!("upload-{}", self.begun);
        self.open.insert(id.clone(), BTreeMap::new());
        let id = format!("<UploadId>{id}</UploadId>");
        Answer::xml(
            200,
            &format!("<InitiateMultipartUploadResult>{id}</InitiateMultipartUploadResult>"),
        )
    }

    pub(crate) fn put(&mut self, id: &str, request: Request) -> Answer {
        let number = request.asked("partNumber").and_then(|number| number.parse().ok());
        let (Some(parts), Some(number)) = (self.open.get_mut(id), number) else {
            return no_such_upload();
        };
        let e_tag = format!("\"{}\"", hex::encode(Md5::digest(&request.body)));
        parts.insert(number, request.body);
        Answer::of(200).with("etag", e_tag)
    }

    /// Makes an object of the parts that the request names, in their order.
    pub(crate) fn end(&mut self, id: &str, request: &Request, objects: &mut Objects) -> Answer {
        let Some(parts) = self.open.get(id) else { return no_such_upload() };
        let text = String::from_utf8_lossy(&request.body);
        let numbers = text.split("<PartNumber>").skip(1).map(|part| {
            part.split('<').next().and_then(|number| number.parse().ok()).expect("a number")
        });
        let named: Option<Vec<_>> =
            numbers.map(|number: u32| parts.get(&number).map(Vec::as_slice)).collect();
        let Some(named) = named else {
            return Answer::error(400, "InvalidPart", "a part is missing");
        };
        let key = request.place().1;
        let e_tag = objects.put_joined(key, &named).e_tag;
        self.open.remove(id);
        let e_tag = crate::answer::escaped(&e_tag);
        Answer::xml(
            200,
            &format!(
                "<CompleteMultipartUploadResult><ETag>{e_tag}</ETag></CompleteMultipartUploadResult>"
            ),
        )
    }

    pub(crate) fn give_up(&mut self, id: &str) -> Answer {
        self.open.remove(id);
        Answer::of(204)
    }
}

fn no_such_upload() -> Answer {
    Answer::error(404, "NoSuchUpload", "no such upload")
}
