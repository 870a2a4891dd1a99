/** Style sheet of all pages: light and dark, from 320 px width, without external resources. */
export const STYLE = `
:root{color-scheme:light dark;--ground:#f4f5f2;--sheet:#fff;--ink:#1c211d;--soft:#5a645d;--line:#d9ded8;--deed:#1f6b4a;--deed-ink:#fff;--code:#eef3ee;--bad:#9b2c1d;--bad-ground:#fbeeeb;--note:#6b5310;--note-ground:#fbf4dd}
@media(prefers-color-scheme:dark){:root{--ground:#131614;--sheet:#1c211e;--ink:#e9eee9;--soft:#a3aea6;--line:#333b36;--deed:#5cc795;--deed-ink:#08130d;--code:#252d28;--bad:#ffb4a4;--bad-ground:#3a1c17;--note:#f0d98a;--note-ground:#332b12}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;min-height:100vh;background:var(--ground);color:var(--ink);font:17px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;display:flex;flex-direction:column;align-items:center;padding:24px 16px 40px;overflow-wrap:anywhere}
header{width:100%;max-width:30rem;display:flex;justify-content:space-between;align-items:center;gap:16px;min-height:44px;margin-bottom:12px;color:var(--soft);font-size:15px}
header b,header button{white-space:nowrap}
header form{flex:none;margin:0}
header b{color:var(--ink);font-weight:600}
header span{min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;margin-left:auto}
main{width:100%;max-width:30rem;background:var(--sheet);border:1px solid var(--line);border-radius:14px;padding:28px}
h1{margin:0 0 12px;font-size:26px;line-height:1.25;font-weight:650;text-wrap:balance}
h2{margin:32px 0 8px;font-size:18px;font-weight:650}
p{margin:0 0 14px}
.soft{color:var(--soft);font-size:15px}
label{display:block;margin:16px 0 6px;font-weight:550}
input[type=text],input[type=email],input[type=password]{width:100%;min-height:48px;padding:10px 12px;font:inherit;color:inherit;background:var(--ground);border:1px solid var(--soft);border-radius:9px}
input.code{font-size:24px;letter-spacing:.12em;text-transform:uppercase;font-family:ui-monospace,Menlo,Consolas,monospace}
button,.button{display:inline-block;min-height:48px;padding:11px 22px;font:inherit;font-weight:600;text-align:center;text-decoration:none;border-radius:9px;border:1px solid var(--deed);background:var(--deed);color:var(--deed-ink);cursor:pointer}
button.second,.button.second{background:none;color:var(--ink);border-color:var(--soft);font-weight:500}
button.danger{background:none;color:var(--bad);border-color:var(--bad)}
button.plain{min-height:44px;padding:6px 10px;border:0;background:none;color:var(--soft);font-weight:500;text-decoration:underline}
:focus-visible{outline:3px solid var(--deed);outline-offset:2px}
.deeds{display:flex;flex-wrap:wrap;gap:12px;margin-top:24px}
.deeds form{margin:0}
.code-shown{margin:18px 0;padding:18px 12px;border-radius:11px;background:var(--code);text-align:center;font:650 38px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:.08em;white-space:nowrap}
.code-shown.small{font-size:24px}
.code-shown.link{font-size:15px;font-weight:500;letter-spacing:0;white-space:normal;overflow-wrap:anywhere;text-align:left;user-select:all}
input+.soft{margin:6px 0 0}
dl{margin:0 0 14px;border-top:1px solid var(--line)}
dl div{display:flex;gap:16px;justify-content:space-between;padding:9px 0;border-bottom:1px solid var(--line)}
dt{color:var(--soft)}
dt{flex:none;max-width:45%}
dd{margin:0;text-align:right;overflow-wrap:anywhere;font-weight:550}
ul{list-style:none;margin:0 0 14px;padding:0}
li>span{min-width:0;overflow-wrap:anywhere}
li{display:flex;gap:16px;align-items:center;justify-content:space-between;padding:12px 0;border-bottom:1px solid var(--line)}
li form{flex:none}
li>a{flex:none;padding:10px 0}
.or{margin:24px 0 0;padding-top:20px;border-top:1px solid var(--line)}
.proof{margin:12px 0 0}
button:disabled{opacity:.7;cursor:default}
input:disabled{color:var(--soft);background:none;border-style:dashed;cursor:not-allowed}
.this{flex:none;color:var(--deed);font-size:15px;font-weight:600}
.choice{display:flex;gap:12px;align-items:center;min-height:56px;margin:8px 0;padding:8px 14px;border:1px solid var(--line);border-radius:9px;font-weight:500}
.choice input{width:20px;height:20px;accent-color:var(--deed);flex:none}
.bad,.note{padding:12px 14px;border-radius:9px;margin:0 0 16px}
.bad{color:var(--bad);background:var(--bad-ground)}
.note{color:var(--note);background:var(--note-ground)}
.wait{display:flex;gap:10px;align-items:center;color:var(--soft)}
.wait::before{content:"";width:12px;height:12px;border-radius:50%;background:var(--deed);animation:wait 1.6s ease-in-out infinite}
@keyframes wait{50%{opacity:.25}}
@media(prefers-reduced-motion:reduce){.wait::before{animation:none}}
a{color:var(--deed)}
@media(max-width:430px){header{flex-wrap:wrap;gap:0 16px}header span{order:1;flex:0 0 100%;white-space:normal;overflow:visible}body{padding:12px 10px 28px}main{padding:22px 18px}h1{font-size:23px}.code-shown{font-size:31px}.deeds>*,.deeds button{width:100%}}
`
