import pytest
from report import doctor, the
from test_proxies import *
class Front2(NginxFront):
    kind="nginx-outer"
FAULTS = {
 "good": (lambda t: t, lambda t: t, lambda t: t),
 "inner-gzip": (lambda t: t, lambda t: t.replace("SetEnvIf","#SetEnvIf").replace("flushpackets=on ",""), lambda t:t),
 "outer-buffer": (lambda t: t.replace("proxy_buffering off;",""), lambda t: t, lambda t:t),
 "inner-host": (lambda t: t, lambda t: t.replace("ProxyPreserveHost On","ProxyPreserveHost Off"), lambda t:t),
 "inner-timeout": (lambda t: t, lambda t: t.replace("timeout=120","timeout=5"), lambda t:t),
 "brotli": (lambda t: t, lambda t: t.replace("SetEnvIf","AddOutputFilterByType BROTLI_COMPRESS text/event-stream application/json text/html\n#SetEnvIf"), lambda t:t),
 "outer-auth": (lambda t: t.replace("{\n",'{\n proxy_set_header Authorization "";\n',1), lambda t: t, lambda t:t),
 "inner-body": (lambda t: t, lambda t: t+"\nLimitRequestBody 1000000\n", lambda t:t),
}
class ApacheB(ApacheFront):
    modules = ("proxy","proxy_http","brotli")
import json
@pytest.mark.parametrize("fault", list(FAULTS))
@pytest.mark.parametrize("behind", ["apache-proxy"])
def test_two(make_site, deployment, fault, behind):
    o, m, i = FAULTS[fault]
    site = make_site(behind, BASE, edit=i)
    with ApacheB(deployment, BASE, text=m(lines("ProxyPreserveHost", site))) as mid:
        with Front2(deployment, BASE, text=o(lines('location "/intranet', mid))) as outer:
            report, found = doctor(outer)
    print("##", fault, report["server"], "| front:", report["front"], report["result"])
    for f in report["items"]:
        if f["result"]!="ok" : print(json.dumps(f, indent=0)[:1500].replace("\\n","\n   "))
