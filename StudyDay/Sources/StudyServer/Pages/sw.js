// Keeps the pages on the device, so that they open without a network. What the server says of the study is never
// kept here. VERSION and FILES are put in when it is served: a new program has new pages, all at once.

const VERSION = "{{version}}";
const FILES = "{{files}}".split(" ");
const CACHE = `promille-${VERSION}`;

addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) =>
    cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })))));
});

addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name !== CACHE) await caches.delete(name);
    await clients.claim();
  })());
});

addEventListener("message", (event) => {
  if (event.data === "take over") skipWaiting();
});

addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin || url.pathname.startsWith("/api/")) return;
  const page = url.pathname.startsWith("/person/") ? "/day" : url.pathname.startsWith("/history/") ? "/history" : url.pathname;
  event.respondWith(caches.open(CACHE).then(async (cache) => (await cache.match(page)) ?? fetch(event.request)));
});

addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(clients.matchAll({ type: "window" }).then(([open]) => open?.focus() ?? clients.openWindow("/day")));
});
