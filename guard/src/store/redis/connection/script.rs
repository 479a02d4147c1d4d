//! Scripts as commands: by their hash as long as the server knows it, else as a text.
//!
//! Must not know: what scripts do.

use ::redis::{Arg, Cmd, RedisWrite as _};

/// A script and the SHA-1 of its text, by which a server calls it.
#[derive(Debug)]
pub(crate) struct Script {
    hash: Box<str>,
    text: Box<str>,
}

impl Script {
    pub(crate) fn new(text: impl Into<Box<str>>) -> Self {
        let text = text.into();
        let hash = ::redis::Script::new(&text).get_hash().into();
        Self { hash, text }
    }

    #[cfg(test)]
    pub(crate) fn hash(&self) -> &str {
        &self.hash
    }

    #[cfg(any(test, feature = "benchmark"))]
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Begins a call by its hash. So many keys have to be written to it, and the arguments; `bytes`: about so long are they together.
    pub(in super::super) fn begin(&self, keys: usize, arguments: usize, bytes: usize) -> Cmd {
        let mut command = Cmd::with_capacity(
            3 + keys + arguments,
            "EVALSHA".len() + self.hash.len() + 2 + bytes,
        );
        command.write_arg(b"EVALSHA");
        command.write_arg(self.hash.as_bytes());
        command.arg(keys);
        command
    }

    /// Calls it by its hash.
    pub(super) fn by_hash(&self, keys: &[&[u8]], arguments: &[&[u8]]) -> Cmd {
        let bytes: usize = keys.iter().chain(arguments).map(|part| part.len()).sum();
        let mut command = self.begin(keys.len(), arguments.len(), bytes);
        for part in keys.iter().chain(arguments) {
            command.write_arg(part);
        }
        command
    }

    /// The same call with the text, which the server then knows.
    pub(super) fn by_text(&self, by_hash: &Cmd) -> Cmd {
        let mut command = ::redis::cmd("EVAL");
        command.write_arg(self.text.as_bytes());
        for argument in by_hash.args_iter().skip(2) {
            if let Arg::Simple(argument) = argument {
                command.write_arg(argument);
            }
        }
        command
    }
}

/// The first key of a command: of a script's call, the one after the number of keys, else the first argument.
pub(in super::super) fn first_key(command: &Cmd) -> &[u8] {
    let mut arguments = command.args_iter().map(|argument| match argument {
        Arg::Simple(argument) => argument,
        _ => &[],
    });
    let key = match arguments.next() {
        Some(b"EVALSHA" | b"EVAL") => arguments.nth(2),
        _ => arguments.next(),
    };
    key.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_called_by_hash_and_by_text() {
        let script = Script::new("return 1");
        let by_hash = script.by_hash(&[b"k1", b"k2"], &[b"a"]);
        assert_eq!(
            by_hash.get_packed_command(),
            b"*6\r\n$7\r\nEVALSHA\r\n$40\r\ne0e1f9fabfc9d4800c877a703b823ac0578ff8db\r\n$1\r\n2\r\n\
              $2\r\nk1\r\n$2\r\nk2\r\n$1\r\na\r\n"
        );
        assert_eq!(
            script.by_text(&by_hash).get_packed_command(),
            b"*6\r\n$4\r\nEVAL\r\n$8\r\nreturn 1\r\n$1\r\n2\r\n$2\r\nk1\r\n$2\r\nk2\r\n$1\r\na\r\n"
        );
    }

    #[test]
    fn commands_know_their_first_key() {
        let script = Script::new("return 1");
        let by_hash = script.by_hash(&[b"k1", b"k2"], &[b"a"]);
        assert_eq!(first_key(&by_hash), b"k1");
        assert_eq!(first_key(&script.by_text(&by_hash)), b"k1");
        assert_eq!(first_key(&script.by_hash(&[], &[])), b"");
        assert_eq!(first_key(::redis::cmd("DEL").arg("k1").arg("k2")), b"k1");
        assert_eq!(first_key(&::redis::cmd("PING")), b"");
    }
}
