//! Sets of bytes, looked up in a table: to compare each byte of a value with many costs several times as much.
//!
//! Must not know: what the bytes mean.

/// See the module's documentation.
#[derive(Debug)]
pub(super) struct ByteSet([bool; 256]);

#[expect(
    clippy::indexing_slicing,
    reason = "there are no more than 256 different bytes, and the other index is below the length"
)]
impl ByteSet {
    pub(super) const fn of(bytes: &[u8]) -> Self {
        let mut set = Self([false; 256]);
        let mut index = 0;
        while index < bytes.len() {
            set.0[bytes[index] as usize] = true;
            index += 1;
        }
        set
    }

    /// With all bytes from the first to the last.
    pub(super) const fn with(mut self, first: u8, last: u8) -> Self {
        let mut byte = first;
        loop {
            self.0[byte as usize] = true;
            if byte >= last {
                return self;
            }
            byte += 1;
        }
    }

    #[inline]
    pub(super) const fn has(&self, byte: u8) -> bool {
        self.0[byte as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_the_bytes_that_it_was_made_of_and_no_others() {
        const SET: ByteSet = ByteSet::of(b"a-").with(b'0', b'2').with(0xfe, 0xff);
        let members: Vec<u8> = (0..=255).filter(|byte| SET.has(*byte)).collect();
        assert_eq!(members, b"-012a\xfe\xff");
    }
}
