//! The page for people: its files, as they are in the folder `page`. They show what the endpoints answer.
//!
//! Must not know: what the endpoints answer.

use actix_web::{HttpRequest, HttpResponse, http::header, web::ServiceConfig};

use super::resource::{read, read_only};

/// The page itself.
const INDEX: File = File {
    name: "",
    media_type: "text/html; charset=utf-8",
    text: include_str!("page/index.html"),
};

/// What it needs.
const FILES: [File; 9] = [
    style("page.css", include_str!("page/page.css")),
    script("page.js", include_str!("page/page.js")),
    script("api.js", include_str!("page/api.js")),
    script("bans.js", include_str!("page/bans.js")),
    script("chart.js", include_str!("page/chart.js")),
    script("clients.js", include_str!("page/clients.js")),
    script("dom.js", include_str!("page/dom.js")),
    script("settings.js", include_str!("page/settings.js")),
    script("text.js", include_str!("page/text.js")),
];

/// A file of the page.
#[derive(Clone, Copy)]
struct File {
    name: &'static str,
    media_type: &'static str,
    text: &'static str,
}

const fn style(name: &'static str, text: &'static str) -> File {
    File {
        name,
        media_type: "text/css; charset=utf-8",
        text,
    }
}

const fn script(name: &'static str, text: &'static str) -> File {
    File {
        name,
        media_type: "text/javascript; charset=utf-8",
        text,
    }
}

pub(super) fn mount(config: &mut ServiceConfig) {
    read_only(config, "", read().to(to_the_page));
    for file in std::iter::once(INDEX).chain(FILES) {
        let answer = read().to(move || async move { file.response() });
        read_only(config, &format!("/{}", file.name), answer);
    }
}

/// The page's links are relative: they need the slash at the end.
async fn to_the_page(request: HttpRequest) -> HttpResponse {
    let last = request.path().rsplit('/').next().unwrap_or_default();
    HttpResponse::PermanentRedirect()
        .insert_header((header::LOCATION, format!("./{last}/")))
        .finish()
}

impl File {
    fn response(self) -> HttpResponse {
        HttpResponse::Ok()
            .content_type(self.media_type)
            .body(self.text)
    }
}
