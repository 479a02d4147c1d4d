//! What servers have in common: one worker, a response of two bytes.
//!
//! Must not know: what is in front of the handler.

use std::{
    io::{self, Read as _, Write as _},
    net::{IpAddr, SocketAddr},
    process, thread,
};

use actix_web::dev::ServiceRequest;

/// The header in which the load says who it plays.
pub(crate) const CLIENT: &str = "x-client";

/// Serves an application that is made in the worker, until standard input ends; awaited in an actix-web runtime. Says the port
/// on standard output.
#[macro_export]
macro_rules! listen {
    ($app:expr) => {{
        $crate::end_with_standard_input();
        let server = ::actix_web::HttpServer::new(move || {
            // Outermost, with and without the guard: one connection plays many clients.
            $app.wrap_fn(|mut request, next| {
                $crate::play(&mut request);
                ::actix_web::dev::Service::call(next, request)
            })
        });
        let server = server.workers(1).disable_signals().bind(("127.0.0.1", 0))?;
        $crate::announce(&server.addrs())?;
        server.run().await
    }};
}

/// The handler.
pub async fn ok() -> &'static str {
    "ok"
}

/// Makes the request one of the client that it names.
pub fn play(request: &mut ServiceRequest) {
    let named = request.headers().get(CLIENT);
    let address = named.and_then(|value| value.to_str().ok()?.parse::<IpAddr>().ok());
    if let Some(address) = address {
        request.head_mut().peer_addr = Some(SocketAddr::new(address, 1));
    }
}

/// Says the port on standard output.
///
/// # Errors
///
/// If nobody hears it.
pub fn announce(addresses: &[SocketAddr]) -> io::Result<()> {
    let port = addresses.first().map_or(0, SocketAddr::port);
    writeln!(io::stdout(), "{port}")
}

/// The process ends when whoever started it lets go of it, however that comes about.
pub fn end_with_standard_input() {
    thread::spawn(|| {
        io::stdin().read_to_end(&mut Vec::new()).ok();
        process::exit(0);
    });
}
