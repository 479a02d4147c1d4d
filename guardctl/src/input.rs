//! Files of logs: opened, unpacked, and put together in the order of their times.
//!
//! Must not know: what is done with requests.

use std::{
    cell::Cell,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    rc::Rc,
    time::SystemTime,
};

use flate2::bufread::MultiGzDecoder;

use crate::{
    access_log::{BadLine, Entry, parse},
    failure::Failure,
};

const STANDARD_INPUT: &str = "-";
const GZIP: [u8; 2] = [0x1F, 0x8B];
const BUFFER_BYTES: usize = 256 * 1024;
/// No server writes longer lines.
const LONGEST_LINE: u64 = 1024 * 1024;

/// What a line turned out to be.
pub(crate) enum Line<'a> {
    Request(Entry<'a>),
    /// Where, and why not.
    Bad(String),
}

/// Several logs, which are read as one.
pub(crate) struct Logs {
    sources: Vec<Source>,
    bytes: Rc<Cell<u64>>,
    total_bytes: Option<u64>,
}

struct Source {
    name: String,
    reader: Box<dyn BufRead>,
    line: Vec<u8>,
    number: u64,
}

impl Logs {
    /// # Errors
    /// The first file that cannot be opened.
    pub(crate) fn open(paths: &[String]) -> Result<Self, Failure> {
        let bytes = Rc::new(Cell::new(0));
        let mut total_bytes = Some(0);
        let mut sources = Vec::with_capacity(paths.len());
        for path in paths {
            let (source, length) = Source::open(path, &bytes)
                .map_err(|error| Failure::arguments(format!("{path}: {error}")))?;
            total_bytes = total_bytes
                .zip(length)
                .map(|(total, length)| total + length);
            sources.push(source);
        }
        Ok(Self {
            sources,
            bytes,
            total_bytes,
        })
    }

    /// Bytes that were read so far, as they are in the files.
    pub(crate) fn bytes(&self) -> Rc<Cell<u64>> {
        Rc::clone(&self.bytes)
    }

    /// Unknown for what comes from elsewhere.
    pub(crate) fn total_bytes(&self) -> Option<u64> {
        self.total_bytes
    }

    /// Shows all lines: the requests of several logs in the order of their times, which is how rotated files and those of several
    /// servers belong together.
    pub(crate) fn each(self, visit: &mut dyn FnMut(Line<'_>)) {
        let mut waiting: Vec<(SystemTime, Source)> = Vec::new();
        for source in self.sources {
            waiting.extend(source.advanced(visit));
        }
        while waiting.len() > 1 {
            let times = waiting.iter().enumerate();
            let Some((first, _)) = times.min_by_key(|(_, (at, _))| *at) else {
                return;
            };
            let (_, source) = waiting.swap_remove(first);
            source.show(visit);
            waiting.extend(source.advanced(visit));
        }
        if let Some((_, mut source)) = waiting.pop() {
            source.show(visit);
            while source.next_line(visit) {
                source.show(visit);
            }
        }
    }
}

impl Source {
    /// With its length, if it has one.
    fn open(path: &str, bytes: &Rc<Cell<u64>>) -> io::Result<(Self, Option<u64>)> {
        let (raw, length): (Box<dyn Read>, _) = if path == STANDARD_INPUT {
            (Box::new(io::stdin()), None)
        } else {
            let file = File::open(path)?;
            let details = file.metadata()?;
            if details.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            let length = details.is_file().then_some(details.len());
            (Box::new(file), length)
        };
        let counted = Counted {
            inner: raw,
            bytes: Rc::clone(bytes),
        };
        let source = Self {
            name: path.to_owned(),
            reader: unpacked(counted)?,
            line: Vec::new(),
            number: 0,
        };
        Ok((source, length))
    }

    /// Goes on to the next line that is a request; `None` if there is none.
    fn advanced(mut self, visit: &mut dyn FnMut(Line<'_>)) -> Option<(SystemTime, Self)> {
        while self.next_line(visit) {
            match parse(&self.line) {
                Ok(entry) => {
                    let at = entry.at;
                    return Some((at, self));
                }
                Err(why) => visit(Line::Bad(self.told(&why))),
            }
        }
        None
    }

    fn show(&self, visit: &mut dyn FnMut(Line<'_>)) {
        visit(match parse(&self.line) {
            Ok(entry) => Line::Request(entry),
            Err(why) => Line::Bad(self.told(&why)),
        });
    }

    fn told(&self, why: &BadLine) -> String {
        format!("{}:{}: {why}", self.name, self.number)
    }

    /// Reads the next line that is not blank; no, if there is none.
    fn next_line(&mut self, visit: &mut dyn FnMut(Line<'_>)) -> bool {
        loop {
            self.line.clear();
            self.number += 1;
            match self.read_line() {
                Ok(0) => return false,
                Ok(length) if length == LONGEST_LINE => {
                    visit(Line::Bad(format!(
                        "{}:{}: the line is too long",
                        self.name, self.number
                    )));
                }
                Ok(_) if self.line.trim_ascii().is_empty() => {}
                Ok(_) => return true,
                Err(error) => {
                    visit(Line::Bad(format!("{}:{}: {error}", self.name, self.number)));
                    return false;
                }
            }
        }
    }

    /// The bytes of the line; [`LONGEST_LINE`] stands for any more, too.
    fn read_line(&mut self) -> io::Result<u64> {
        let mut limited = (&mut self.reader).take(LONGEST_LINE);
        let length = limited.read_until(b'\n', &mut self.line)? as u64;
        if length == LONGEST_LINE && !self.line.ends_with(b"\n") {
            self.skip_line()?;
        }
        while self
            .line
            .last()
            .is_some_and(|byte| matches!(byte, b'\n' | b'\r'))
        {
            self.line.pop();
        }
        Ok(length)
    }

    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.reader.fill_buf()?;
            let (length, is_end) = match memchr::memchr(b'\n', buffer) {
                Some(index) => (index + 1, true),
                None => (buffer.len(), buffer.is_empty()),
            };
            self.reader.consume(length);
            if is_end {
                return Ok(());
            }
        }
    }
}

/// Unpacked if it begins as gzip does, whatever its name is.
fn unpacked(mut raw: impl Read + 'static) -> io::Result<Box<dyn BufRead>> {
    let mut start = Vec::new();
    raw.by_ref()
        .take(GZIP.len() as u64)
        .read_to_end(&mut start)?;
    let is_gzip = start == GZIP;
    let whole = BufReader::with_capacity(BUFFER_BYTES, io::Cursor::new(start).chain(raw));
    Ok(match is_gzip {
        true => Box::new(BufReader::with_capacity(
            BUFFER_BYTES,
            MultiGzDecoder::new(whole),
        )),
        false => Box::new(whole),
    })
}

struct Counted<R> {
    inner: R,
    bytes: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.bytes.set(self.bytes.get() + length as u64);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(name: &str, content: &[u8]) -> Source {
        Source {
            name: name.to_owned(),
            reader: unpacked(io::Cursor::new(content.to_vec())).unwrap(),
            line: Vec::new(),
            number: 0,
        }
    }

    fn told(sources: Vec<Source>) -> Vec<String> {
        let logs = Logs {
            sources,
            bytes: Rc::default(),
            total_bytes: None,
        };
        let mut told = Vec::new();
        logs.each(&mut |line| {
            told.push(match line {
                Line::Request(entry) => entry.target.into_owned(),
                Line::Bad(why) => why,
            });
        });
        told
    }

    fn line(second: u8, target: &str) -> String {
        format!("::1 - - [17/May/2015:10:05:{second:02} +0000] \"GET {target} HTTP/1.1\" 200 1\n")
    }

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn logs_in_any_order_are_read_in_the_order_of_their_times() {
        let new = line(5, "/5") + &line(6, "/6");
        let old = line(1, "/1") + &line(3, "/3");
        let other = line(2, "/2") + &line(5, "/5b") + &line(9, "/9");
        let sources = [new, old, other].map(|text| source("log", text.as_bytes()));
        let told = told(sources.into());
        assert_eq!(told[..3], ["/1", "/2", "/3"]);
        assert_eq!(told[5..], ["/6", "/9"]);
    }

    #[test]
    fn gzip_is_unpacked_by_its_content_also_in_several_members() {
        let packed = [gzip(&line(1, "/1")), gzip(&line(2, "/2"))].concat();
        assert_eq!(told(vec![source("log", &packed)]), ["/1", "/2"]);
        let cut = source("cut", &packed[..packed.len() - 4]);
        let told = told(vec![cut]);
        assert_eq!(told[0], "/1");
        assert!(told.last().unwrap().starts_with("cut:"), "{told:?}");
    }

    #[test]
    fn bad_lines_are_told_with_their_place_and_blank_ones_are_not() {
        let text = format!(
            "\n{}\r\nbroken\n{}",
            line(1, "/1"),
            line(2, "/2").trim_end()
        );
        let told = told(vec![source("log", text.as_bytes())]);
        assert_eq!(told, ["/1", "log:4: time: missing", "/2"]);
    }

    #[test]
    fn a_line_without_an_end_is_not_kept() {
        let mut text = vec![b'x'; 3_000_000];
        text.push(b'\n');
        text.extend(line(1, "/1").bytes());
        let told = told(vec![source("log", &text)]);
        assert_eq!(told, ["log:1: the line is too long", "/1"]);
    }
}
