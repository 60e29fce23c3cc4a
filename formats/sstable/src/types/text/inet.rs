//! Internet addresses as Java prints them: all eight groups of the long ones.

// The addresses alone: what opens connections is not in `core`.
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Appends an address; `false` for bytes of none.
pub(super) fn put_inet(bytes: &[u8], out: &mut String) -> bool {
    if let Ok(bytes) = <[u8; 4]>::try_from(bytes) {
        out.push_str(&Ipv4Addr::from(bytes).to_string());
        return true;
    }
    let Ok(bytes) = <[u8; 16]>::try_from(bytes) else { return false };
    let address = Ipv6Addr::from(bytes);
    // Java makes short addresses of these.
    if let Some(short) = address.to_ipv4_mapped() {
        out.push_str(&short.to_string());
        return true;
    }
    let groups = address.segments().map(|group| format!("{group:x}"));
    out.push_str(&groups.join(":"));
    true
}

/// The bytes of an address.
pub(super) fn read_inet(text: &str) -> Option<Vec<u8>> {
    Some(match text.parse::<IpAddr>().ok()? {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_printed() {
        let check = |text: &str, want: &str| {
            let mut out = String::new();
            let bytes = read_inet(text).expect(text);
            assert!(put_inet(&bytes, &mut out));
            assert_eq!(out, want);
        };
        check("10.0.0.1", "10.0.0.1");
        check("2001:db8::1", "2001:db8:0:0:0:0:0:1");
        check("::ffff:1.2.3.4", "1.2.3.4");
        assert!(!put_inet(&[1, 2], &mut String::new()));
        assert_eq!(read_inet("10.0.0"), None);
    }
}
