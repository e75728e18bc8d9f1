"""Frequent words of languages in Latin letters, written for `training.english_study`.

Each line lists articles, pronouns, prepositions, conjunctions, auxiliaries, adverbs and other frequent words of a
language, roughly from the most frequent to the least, in lower case and split at apostrophes as
`model.text.english.split_lowercase` splits them. Their order is the only estimate of their frequencies.
"""

_LINES = """
German: der die und in das ich ist nicht sie du es zu den ein mit er eine wir von dem auf was auch mir sich für war
 dass an wie so ja hat haben im mich nur noch wenn man aber aus bei nach als ihr einen uns kann bin habe des wird
 werden sind doch hier da um schon über einer einem mehr vor zum zur oder mein meine dich dir sein seine sehr will
 durch muss jetzt hatte diese dieser dieses ihm ihn ihnen wo warum wer immer wieder keine kein gut alles etwas
 nichts heute gibt können bis unter gegen dann denn weil ohne zwischen während ab eines wurde wurden worden sollte
 soll müssen möchte würde könnte bitte nein danke mal viel viele ganz weiter zwei drei jahr jahre jahren zeit tag
 leben leute immer nie niemand jemand euch euer unser unsere deine dein welche welcher jeder jede jedes selbst
 beim vom ins am damit dort dazu seit wegen trotz neue neuen neuer großen große gestern morgen abend nacht
Dutch: de het een en van ik je dat is niet in te die op we met zijn voor er aan hij wat maar ze om ben was als heb
 dit naar kan of bij uit nog ook zo nu dan wel mijn me zou hebben heeft had geen moet deze door hoe over tot haar
 hem ons jij hier daar waar wie waarom wil weet al meer worden wordt werd onze jullie u uw mij hun alles iets niets
 iemand niemand veel goed gaan gaat ga doen doet komt komen kunnen moeten willen zal zullen toch omdat want tegen
 zonder onder tussen sinds nooit altijd weer na eerst twee drie jaar dag tijd mensen man vrouw huis goede nieuwe
 grote kleine eens heel zeer graag samen vandaag gisteren morgen avond nacht week jou jouw mag laat laten staat
 zitten zich zelf elke alle andere ander zoals terwijl volgens tijdens binnen buiten ging waren geweest kwam zei
Spanish: de la que el en y a los no se un las lo por con una para es me su te al del le como más pero si mi qué yo
 ya está muy todo esta ha son sin sobre cuando tu bien hay era también fue hasta nos porque eso este él ella ser
 he desde sus esto donde aquí dos quien puede tiene tengo nada así solo algo sí vez entre después ahora todos
 siempre otro otra mismo cada menos nunca estoy eres estás quiero puedo hace años año día tiempo vida casa mejor
 les estaba había han hacer tener usted ustedes nosotros ellos nuestra nuestro cómo dónde quién cuándo cuál antes
 durante contra según unos unas ese esa esos estos tan tanto mucho mucha muchos poco gran grande tres primer
 primera nuevo nueva hoy ayer mañana noche tarde aunque mientras sido están somos ir voy va vamos hacia ante bajo
Italian: di che e la il un a non in per è una mi sono ho si lo l con da ti i ma le del ci come se ha cosa più al della
 no io questo ne questa bene tu hai qui tutto mio nel alla solo perché gli tutti lei era fatto te dei ancora delle
 lui mia essere quando sta o chi anche nella c d un suo sua molto dove ora adesso ai dal niente noi quello quella
 siamo mai dalla sul sulla fare abbiamo loro così due sei prima dopo senza sempre stato stata vuoi posso può già
 poi fa va voglio devo sia alle dai dall nell dell all sull quest po anno anni tempo vita casa giorno oggi ieri
 domani sera notte hanno abbia erano aveva ogni altro altra altri nostro nostra vostro questi quel quei nostri
 fino tra fra contro durante mentre però allora quindi tre nuovo nuova grande prego grazie ciao quale quanto
Portuguese: de que o a e não um é do da eu em uma os se no para com por na me você as mais te mas ele isso está
 ao como bem são seu sua foi dos ela meu tem estou minha muito quando já das só nos aqui ser ou tudo à nem esta
 até também nas pelo pela sem nós mesmo era sobre vai há depois ter quem onde porque eles elas isto este esse essa
 todos todo toda aos às lhe num numa entre pode fazer agora sim então nada ainda sempre nunca cada outro outra
 estava tinha tenho temos foram está estão estamos seria vou vamos vem disse dois duas três anos ano dia vida casa
 tempo hoje ontem amanhã noite tarde qual quanto qualquer alguém ninguém algo antes durante contra desde nosso
 nossa seus suas meus minhas aquele aquela pouco pouca muitos muita novo nova grande melhor obrigado favor ir
Swedish: och i att det som en på är av för med den till inte jag om ett han men var du har de så från vi kan man när
 hon vad ska mig hade nu dig där min skulle eller här ut bara sig vill upp mycket sin någon efter alla ja nej in
 än blir då måste kommer din dem vara honom henne hans hennes oss går något utan vid över också vet varför hur få
 får blev mot under mellan bra finns ha göra gör ju inga ingen inget aldrig alltid mer mest andra annan första
 två tre år dag tid hem hos igen sedan innan medan eftersom vilken vilket vem sitt sina mina dina ditt mitt vår
 vårt våra ni er era detta denna dessa varit gick sa säger tack idag igår morgon kväll natt stora stor nya ny
 många lite många några både genom enligt kring redan snart helt gång kom ta tar se ser låt gärna tycker tror
Danish: og i at det er en til på jeg af de for den med der ikke du et som har han vi om var så kan men mig man hvad
 skal dig fra nu ham her min hun os ved være have hvor vil når da sig end bare ville efter op ud noget ind også
 blev bliver over eller havde få får din hende dem mod nogen alle kun gør godt meget mere aldrig hvorfor hvem
 hvordan ingen intet mit dit sin deres vores jeres uden under mellem før igen år dag to tre ja nej tak lidt mange
 andre anden disse denne dette været gik kom siger ser tager lad helt selv sådan måske
Norwegian: og i det er på til som en å for med at av ikke den har de et om han jeg vi men så fra var du kan ble meg
 seg skal hun vil der når etter eller da deg nå her hva ved min ut opp hvor bare være mot noe også ham henne blir
 hadde få får noen alle godt mye mer aldri hvorfor hvem hvordan ingen mitt ditt sin deres vår dere uten under
 mellom før igjen år dag to tre ja nei takk litt mange andre annen disse denne dette vært gikk kom sier ser tar
 la helt selv slik kanskje må
Polish: nie w to się i na że z jest do co jak ja a o ale tak mi za go tu jej po ma tym czy już od mnie był była
 dla przez ten tylko są ze może jego ty jestem być wszystko on ona my wy oni gdy gdzie kiedy dlaczego kto
 bardzo teraz tam mam masz sobie nic nam was ich jeszcze bez pod przed nad który która które mój moja twój
 było będzie chcę muszę dobrze dwa trzy rok lata dzień dom nigdy zawsze ktoś coś dziś jutro wczoraj proszę
Czech: je to se na v že a ne si jsem co tak s z do mi jak ale já by za jsi o už po jen ve mě ten má pro když tady
 být kde co bylo byl byla jako ty on ona my vy oni proč kdo kdy také ještě nebo není jsou jsme jste mám máš
 nic něco všechno dobře můj moje tvůj jeho její od pod před bez při která který které dva tři rok den dům
 nikdy vždy někdo dnes zítra včera velmi mezi než ani aby
Romanian: de și în a la nu să o pe cu că un este ce mai din e am pentru sunt ai se o ca ne mi ta care era eu tu el ea
 noi voi ei lui asta acest această acum aici acolo unde când cine cum dar fost fi au avea fără după prin între
 până foarte bine tot toate nimic ceva cineva nimeni niciodată mereu doi trei an ani zi casă mâine ieri azi
 seara vreau pot trebuie mea meu său sau dacă decât
Catalan: de la que el i a en no un per és amb una els les l d es em del al si més però ho va com ha són què jo molt
 aquest aquesta quan on qui tot ara aquí dos anys any dia nit avui ahir demà sempre mai res alguna també
 sense sobre entre fins des seva seu meu meva nosaltres vostè estic està han hem vaig vam fer té tinc perquè
Croatian: je i u da se na ne to što za s od su kao ali ja sam o iz ti si a nije do mi li kako bi samo sve po će
 on ona oni bio bila biti gdje kada zašto tko koji koja koje moj moja tvoj njegov njezin ovo ovaj taj ništa
 nešto netko uvijek nikad danas sutra jučer dva tri godina dan kuća vrlo bez pred među prije poslije
Turkish: bir bu ve ne için da de çok ben o var mı mi ama sen daha gibi bana kadar onun şey iyi değil ile beni seni
 biz siz onlar her şimdi sonra önce neden nasıl kim nerede zaman evet hayır yok olan olarak oldu olduğunu ki
 ya çünkü hiç benim senin bunu şu en iki üç yıl gün ev büyük yeni bugün dün yarın
Hungarian: a az nem hogy és is egy ez van azt meg de csak ha mi én te ő már itt ki jó le fel be ezt ott mint mert
 vagy volt lesz kell nagyon mit miért hol mikor hogyan még nincs vagyok vagyunk neki nekem neked minden semmi
 valami valaki senki soha mindig most ma tegnap holnap két három év nap ház új nagy
Finnish: ja on ei se että hän en oli mutta joka kun jos niin minä sinä me te he mitä mikä kuka missä miksi miten nyt
 vain kuin ole olen olet olemme ovat ollut olla sen hänen minun sinun meidän tämä tuo nämä jo vielä myös tai
 sitten kanssa ilman ennen jälkeen aina koskaan kaikki jotain mitään hyvin paljon kaksi kolme vuosi päivä talo
 tänään eilen huomenna uusi suuri
Indonesian: yang dan di itu tidak ini dengan untuk saya dari dia kamu aku ada ke akan bisa pada apa kami kita mereka
 anda adalah sudah juga atau tapi karena jika seperti telah oleh dalam lebih banyak sangat hanya saat harus mau
 siapa dimana mengapa bagaimana kapan tidak belum lagi semua sesuatu orang dua tiga tahun hari rumah besar baru
 kemarin besok sekarang sebuah para
Vietnamese: là của và có không tôi cho một được các người trong với này đã những đó để anh khi bạn ở đi chúng ta về
 cũng như làm từ gì em cô ông bà ra đến thì mà hay vì nếu đang sẽ rất nhiều hơn nào ai đâu sao năm ngày nhà hôm
 qua mới lớn hai ba
Swahili: ya na wa kwa ni la katika za cha hii yake kuwa huo sana lakini kama yangu mimi wewe yeye sisi nyinyi wao
 hapa huko sasa leo jana kesho nini nani wapi lini kwanini vipi hakuna kuna mtu watu siku mwaka nyumba kubwa
 moja mbili tatu kila bila au pia tu si
"""


def frequent_words() -> dict[str, tuple[str, ...]]:
    """Return the words by language, each once, the most frequent first."""
    languages: dict[str, tuple[str, ...]] = {}
    name = ""
    for line in _LINES.strip().splitlines():
        if not line.startswith(" "):
            name, line = line.split(":", 1)
        languages[name] = tuple(dict.fromkeys((*languages.get(name, ()), *line.split())))
    return languages
