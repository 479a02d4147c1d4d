//! A request as an ordinary browser sends it: what detectors have to look at, and find nothing in.

/// Its path and query: two values.
pub const TARGET: &str = "/?q=garden+chairs+%28wood%29&page=2";

/// Its headers, by name in lower case.
pub const HEADERS: [(&str, &str); 13] = [
    ("user-agent", crate::lists::USER_AGENT),
    (
        "accept",
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8",
    ),
    ("accept-language", "en-GB,en;q=0.9,de;q=0.8"),
    ("accept-encoding", "gzip, deflate, br, zstd"),
    (
        "referer",
        "https://shop.example.com/category/garden?sort=price&page=1",
    ),
    (
        "cookie",
        "session=5f2b8c0e9d7a4e6f8b1c3d5e7f9a0b2c; consent=all; cart=%5B%7B%22id%22%3A1734%2C%22n%22%3A2%7D%5D; _ga=GA1.2.1734567890.1734567890; theme=dark; lang=en; seen=1,2,3,5,8,13; ab=variant-b",
    ),
    ("dnt", "1"),
    ("upgrade-insecure-requests", "1"),
    ("sec-fetch-dest", "document"),
    ("sec-fetch-mode", "navigate"),
    ("sec-fetch-site", "same-origin"),
    ("sec-fetch-user", "?1"),
    ("cache-control", "max-age=0"),
];

/// The headers as lines; each ends with CR LF.
#[must_use]
pub fn header_lines() -> String {
    let lines = HEADERS.map(|(name, value)| format!("{name}: {value}\r\n"));
    lines.concat()
}
