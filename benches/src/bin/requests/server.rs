//! The servers.

use std::io;

use actix_web::{
    App,
    web::{self, ServiceConfig},
};
use actix_web_guard::RouteLimit;
use actix_web_guard_benches::{listen, ok};

use super::setup::{Compared, Routes};

/// Serves until standard input ends.
#[actix_web::main]
pub(crate) async fn run(setup: Compared) -> io::Result<()> {
    match setup {
        Compared::Bare
        | Compared::Browsers { guarded: false }
        | Compared::Proxied { guarded: false }
        | Compared::Routes(_, Routes::Bare) => {
            listen!(App::new().configure(|config| routes(config, setup)))
        }
        _ => {
            let guard = setup.guard().map_err(io::Error::other)?;
            listen!(
                App::new()
                    .configure(|config| routes(config, setup))
                    .wrap(guard.clone())
            )
        }
    }
}

fn routes(config: &mut ServiceConfig, setup: Compared) {
    let Compared::Routes(count, routes) = setup else {
        config.route("/", web::get().to(ok));
        return;
    };
    for number in 0..count {
        let resource = web::resource(format!("/{number}/{{id}}")).route(web::get().to(ok));
        match routes {
            Routes::Limited => config.service(resource.wrap(RouteLimit::new(100_000, 60))),
            Routes::Bare | Routes::Plain => config.service(resource),
        };
    }
}
