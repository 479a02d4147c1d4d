//! URLs that are no addresses but programs: <https://www.php.net/manual/en/wrappers.php>.
//!
//! `file://` alone is what people paste from their browsers; files that are known are found by their names.
//! Must not know: files.

const BEGINNINGS: &[&[u8]] = &[
    b"php://filter/",
    b"php://input",
    b"php://fd/",
    b"phar://",
    b"expect://",
    b"data://text/plain",
    b"zip://",
    b"compress.zlib://",
    b"jar:file:",
    b"jar:http",
    b"netdoc:/",
    b"gopher://127.",
    b"gopher://localhost",
    b"dict://127.",
    b"dict://localhost",
];

/// Whether the value begins so and is one word.
pub(super) fn begins(value: &[u8]) -> bool {
    let is_one = BEGINNINGS.iter().any(|beginning| {
        let start = value.get(..beginning.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(beginning))
    });
    is_one && !value.contains(&b' ')
}
