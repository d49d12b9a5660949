/* SPDX-License-Identifier: LGPL-2.1-or-later
   What the pages of sender and receiver have in common (webrtckit.browserend). */
"use strict";
let peer;

/* ms to add to performance.now () for the server's clock: of twenty answers the fastest. */
async function offset () {
  let best = null;
  for (let i = 0; i < 20; i++) {
    const asked = performance.now (), clock = await (await fetch ("clock")).json (), took = performance.now () - asked;
    if (best === null || took < best.took)
      best = { took, offset: clock - asked - took / 2 };
  }
  return best.offset;
}

function gathered () {
  return new Promise (done => {
    const look = () => { if (peer.iceGatheringState === "complete") done (); };
    peer.addEventListener ("icegatheringstatechange", look);
    look ();
  });
}
