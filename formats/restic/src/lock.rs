//! Locks: which process reads or writes a repository.
//!
//! Bytes:   an unpacked file of {"time","exclusive","hostname","username","pid","uid"?,"gid"?}, docs/formats/restic.md

use manicule_core::go::json::{Json, JsonError, put_string};

use crate::time::Time;

/// A lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// When it was taken or refreshed.
    pub time: Time,
    /// Whether no other lock may be there.
    pub is_exclusive: bool,
    /// The machine that took it.
    pub hostname: String,
    /// The user who did.
    pub username: String,
    /// The process.
    pub pid: i64,
    /// The user's number; 0 isn't written.
    pub uid: u32,
    /// The group's number; 0 isn't written.
    pub gid: u32,
}

impl Lock {
    /// Reads the JSON of a lock. Fields may be missing, and unknown ones are skipped.
    pub fn parse(json: &[u8]) -> Result<Lock, JsonError> {
        let mut lock = Lock {
            time: Time::ZERO,
            is_exclusive: false,
            hostname: String::new(),
            username: String::new(),
            pid: 0,
            uid: 0,
            gid: 0,
        };
        let mut json = Json::new(json);
        if json.object()? {
            while let Some(field) = json.field()? {
                let fields = ["time", "exclusive", "hostname", "username", "pid", "uid", "gid"];
                lock.read(field.among(&fields), &mut json)?;
            }
        }
        json.end()?;
        Ok(lock)
    }

    fn read(&mut self, name: Option<&str>, json: &mut Json<'_>) -> Result<(), JsonError> {
        match name {
            Some("time") => Time::field(json, &mut self.time)?,
            Some("exclusive") => self.is_exclusive = json.flag()?.unwrap_or(self.is_exclusive),
            Some("hostname") => set_text(json, &mut self.hostname)?,
            Some("username") => set_text(json, &mut self.username)?,
            Some("pid") => self.pid = json.i64()?.unwrap_or(self.pid),
            Some("uid") => self.uid = json.u32()?.unwrap_or(self.uid),
            Some("gid") => self.gid = json.u32()?.unwrap_or(self.gid),
            _ => json.skip()?,
        }
        Ok(())
    }

    /// The JSON, as restic writes it: without a line break.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = b"{\"time\":\"".to_vec();
        self.time.put(&mut out);
        out.extend_from_slice(
            format!("\",\"exclusive\":{},\"hostname\":", self.is_exclusive).as_bytes(),
        );
        put_string(&self.hostname, &mut out);
        out.extend_from_slice(b",\"username\":");
        put_string(&self.username, &mut out);
        out.extend_from_slice(format!(",\"pid\":{}", self.pid).as_bytes());
        for (name, number) in [("uid", self.uid), ("gid", self.gid)] {
            if number != 0 {
                out.extend_from_slice(format!(",\"{name}\":{number}").as_bytes());
            }
        }
        out.push(b'}');
        out
    }
}

fn set_text(json: &mut Json<'_>, place: &mut String) -> Result<(), JsonError> {
    if let Some(text) = json.string()? {
        *place = text.decode().into_owned();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock() -> Lock {
        Lock {
            time: Time::parse(b"2025-01-01T01:02:03.5+01:00").unwrap(),
            is_exclusive: true,
            hostname: "<host>".to_owned(),
            username: "x\u{e9}".to_owned(),
            pid: 4_194_301,
            uid: 1000,
            gid: 0,
        }
    }

    #[test]
    fn locks_are_written_as_restic_does_and_come_back() {
        let want = r#"{"time":"2025-01-01T01:02:03.5+01:00","exclusive":true,"hostname":"\u003chost\u003e","username":"xé","pid":4194301,"uid":1000}"#;
        let json = lock().encode();
        assert_eq!(str::from_utf8(&json), Ok(want));
        assert_eq!(Lock::parse(&json), Ok(lock()));
        for len in 0..json.len() {
            assert!(Lock::parse(&json[..len]).is_err(), "{len}");
        }
    }

    #[test]
    fn locks_are_read_as_go_does() {
        let read = |text: &str| Lock::parse(text.as_bytes());
        let nothing = read("{}").unwrap();
        assert_eq!((nothing.time, nothing.is_exclusive, nothing.pid), (Time::ZERO, false, 0));
        let odd = r#" {"x":[{}],"PID":-5,"time":null,"exclusive":true,"exclusive":null,"gid":7} "#;
        let odd = read(odd).unwrap();
        assert_eq!((odd.pid, odd.is_exclusive, odd.gid), (-5, true, 7));
        for text in [
            "",
            "[]",
            "{\"pid\":1.0}",
            "{\"pid\":\"1\"}",
            "{\"uid\":-1}",
            "{\"uid\":4294967296}",
            "{\"time\":5}",
            "{\"time\":\"yesterday\"}",
            "{\"exclusive\":1}",
            "{}{}",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
