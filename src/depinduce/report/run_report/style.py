"""How a report looks, on a light and on a dark ground and on paper."""

from __future__ import annotations

STYLE = """
:root{--pale:#b9c2d3;--track:#eff1f5;--heat-more:63 111 216;--heat-less:217 84 43;--deepest:.6}
@media screen and (prefers-color-scheme:dark){:root{
--pale:#5b6680;--track:#222938;--heat-more:130 169 247;--heat-less:245 139 100;--deepest:.5}}
html{scroll-behavior:smooth;scroll-padding-top:16px}
body{max-width:1320px;padding:32px 28px 64px;font-size:15px;line-height:1.55;
display:grid;grid-template-columns:150px minmax(0,1fr);gap:0 34px}
header,main{grid-column:2;min-width:0}
nav{grid-column:1;grid-row:1/3}
nav div{position:sticky;top:28px}
nav a{display:block;padding:5px 10px;border-left:2px solid var(--line);font-size:13.5px;color:var(--soft);
text-decoration:none}
nav a:hover,nav a:focus{color:var(--ink);border-color:var(--blue)}
h1{font-size:30px;line-height:1.2;font-weight:650;letter-spacing:-.01em;margin:0 0 12px;overflow-wrap:anywhere}
h2{font-size:20px;font-weight:650;margin:0 0 8px;break-after:avoid}
h3{font-size:15.5px;font-weight:650;margin:26px 0 6px;break-after:avoid}
p,ul{margin:0 0 12px;max-width:80ch;overflow-wrap:anywhere}
ul{padding-left:20px}
li{margin:2px 0}
.eyebrow{font-size:13px;color:var(--soft);margin:0 0 4px}
.summary{font-size:17px;line-height:1.6}
.note{color:var(--soft);font-size:13.5px}
section{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:26px 28px;margin:22px 0 0}
section>:last-child{margin-bottom:0}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;max-width:none;
margin:18px 0 0;padding:0;list-style:none}
.tiles li{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:14px 18px;margin:0}
.tiles b{display:block;font-size:27px;line-height:1.2;font-weight:650;letter-spacing:-.01em}
.tiles span{display:block;margin-top:2px;font-size:13px;line-height:1.35;color:var(--soft)}
.scroll{overflow-x:auto}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,430px),1fr));gap:8px 34px;align-items:start}
.row{display:flex;flex-wrap:wrap;gap:12px 22px;align-items:flex-start}
.row>*{min-width:0}

table{border-collapse:collapse;font-size:13.5px;font-variant-numeric:tabular-nums;margin:6px 0 10px;line-height:1.35}
caption{text-align:left;font-size:13.5px;color:var(--soft);padding:0 0 8px}
th,td{padding:4px 14px 4px 0;text-align:right;unicode-bidi:plaintext}
th:first-child,.words td,.words th,.errors tr>:nth-child(-n+3){text-align:left}
thead th{color:var(--soft);font-weight:500;border-bottom:1px solid var(--line);vertical-align:bottom}
tbody th{font-weight:550}
tbody tr+tr>*{border-top:1px solid var(--track)}
tr{break-inside:avoid}
.words td,.words th{vertical-align:top}
.sum tbody tr:last-child>*{border-top:1px solid var(--pale)}
td.bar{white-space:nowrap}
td.bar span{display:inline-block;min-width:38px}
td.bar i{display:inline-block;width:64px;height:9px;margin-left:9px;border-radius:3px;background:var(--track);
overflow:hidden}
td.bar b{display:block;height:100%;border-radius:3px;background:var(--blue)}
.slim td.bar i{width:30px;margin-left:4px}
.slim td.bar span{min-width:26px}
td.bar.gold b{background:var(--green)}
td.bar.pale{color:var(--soft)}
td.bar.pale b{background:var(--pale)}

.heat{font-size:11px;margin:4px 0 14px}
.heat th,.heat td{padding:0;height:23px}
.heat td{width:25px;min-width:25px;text-align:center;border:1px solid var(--card);
background:rgb(var(--heat-more)/calc(var(--heat,0)*var(--deepest)))}
.heat td.less{background:rgb(var(--heat-less)/calc(var(--heat,0)*var(--deepest)))}
.heat tbody tr+tr>*{border-top-color:var(--card)}
.heat tbody th{padding-right:7px;text-align:right;font-weight:500;white-space:nowrap}
.heat thead th{border:0;text-align:center;height:auto}
.heat thead span{writing-mode:vertical-rl;transform:rotate(180deg);padding-top:6px;white-space:nowrap}
.heat .corner{width:auto;padding-right:7px;font-size:10px;line-height:1.3;color:var(--soft);text-align:right;
vertical-align:bottom;white-space:nowrap}

.columns{display:flex;align-items:flex-end;gap:2px;height:190px;max-width:620px;padding-right:8px}
.columns span{flex:1 1 0;min-width:0;height:100%;display:flex;flex-direction:column;justify-content:flex-end}
.columns b{background:var(--blue);border-radius:3px 3px 0 0;min-height:1px}
.columns small{flex:none;display:flex;justify-content:center;height:18px;font-size:10.5px;line-height:18px;
color:var(--soft);white-space:nowrap;border-top:1px solid var(--line)}
figure{margin:10px 0}
figcaption{font-size:13.5px;color:var(--soft);margin:0 0 6px;unicode-bidi:plaintext}
section svg{max-width:100%;height:auto}
section .curve-card,section .dep-card{fill:none;stroke:none}
details{margin:10px 0;border-top:1px solid var(--line);padding-top:8px}
summary{cursor:pointer;font-weight:550;font-size:14.5px}
details[open]>summary{margin-bottom:8px}
.quiet caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}

@media screen and (max-width:960px){
body{display:block;padding:0 14px 48px}
nav{position:sticky;top:0;z-index:2;margin:0 -14px 14px;padding:6px 10px;overflow-x:auto;white-space:nowrap;
background:var(--ground);border-bottom:1px solid var(--line)}
nav div{position:static}
nav a{display:inline-block;border:0;padding:4px 8px}
section{padding:20px 16px}
html{scroll-padding-top:56px}
}
@media print{
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
@page{margin:15mm 13mm}
body{display:block;max-width:none;font-size:10pt}
nav{display:none}
section,.tiles li{border:0;padding:0;border-radius:0}
section{margin-top:24pt}
.tiles{grid-template-columns:repeat(5,1fr)}
.scroll{overflow:visible}
details::details-content{content-visibility:visible;block-size:auto}
summary{list-style:none;break-after:avoid}
table{font-size:9pt;break-inside:avoid}
thead{break-after:avoid}
.settings{break-inside:auto}
.grid{grid-template-columns:1fr 1fr;gap:8px 20px}
.row{gap:8px 12px}
.heat{font-size:6pt}
.heat td{width:16px;min-width:16px}
.heat th,.heat td{height:17px}
td.bar i{width:44px}
}
"""

# Closed parts are printed, too: browsers that do not know ::details-content need this. The only other script is that of
# the sliders in `round_sections`.
SCRIPT = """<script>
addEventListener("beforeprint",()=>document.querySelectorAll("details:not([open])").forEach(one=>{one.open=true;
addEventListener("afterprint",()=>{one.open=false},{once:true})}))
</script>
"""
