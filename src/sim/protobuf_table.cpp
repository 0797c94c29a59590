#include <array>

#include "sim/protobuf_messages.h"

// One message after the other, with its fields: number, name in JSON, type. In the types, [X] is a list and {X} a map from texts; a
// name in capitals is a message of the same version, of the core or of meta, in this order. "inline X" has the fields of X among
// those of the message itself. A name with "?" is left out of JSON where the value is zero: clients in Go send it always. What has
// none is sent only where it is set (it is a pointer in Go), or belongs into JSON whatever it is.
//
// The numbers and names are those of Kubernetes v1.36. What is not here is refused, never dropped.

namespace muster::sim {
namespace {

constexpr std::string_view kMetaMessages = R"(
Unknown: 1 typeMeta TypeMeta, 2 raw raw, 3 contentEncoding? string, 4 contentType? string
TypeMeta: 1 apiVersion string, 2 kind string
Quantity: 1 string string
IntOrString: 1 type int64, 2 intVal int32, 3 strVal string
Time: 1 seconds int64, 2 nanos int32
MicroTime: 1 seconds int64, 2 nanos int32
Json: 1 raw raw
ObjectMeta: 1 name? string, 2 generateName? string, 3 namespace? string, 4 selfLink? string, 5 uid? string,
    6 resourceVersion? string, 7 generation? int64, 8 creationTimestamp? Time, 9 deletionTimestamp Time,
    10 deletionGracePeriodSeconds int64, 11 labels {string}, 12 annotations {string}, 13 ownerReferences [OwnerReference],
    14 finalizers [string], 17 managedFields [ManagedFieldsEntry]
OwnerReference: 1 kind string, 3 name string, 4 uid string, 5 apiVersion string, 6 controller bool, 7 blockOwnerDeletion bool
ManagedFieldsEntry: 1 manager? string, 2 operation? string, 3 apiVersion? string, 4 time Time, 6 fieldsType? string,
    7 fieldsV1 Json, 8 subresource? string
LabelSelector: 1 matchLabels {string}, 2 matchExpressions [LabelSelectorRequirement]
LabelSelectorRequirement: 1 key string, 2 operator string, 3 values [string]
Condition: 1 type string, 2 status string, 3 observedGeneration? int64, 4 lastTransitionTime Time, 5 reason string,
    6 message string
DeleteOptions: 1 gracePeriodSeconds int64, 2 preconditions Preconditions, 3 orphanDependents bool, 4 propagationPolicy string,
    5 dryRun [string], 6 ignoreStoreReadErrorWithClusterBreakingPotential bool
Preconditions: 1 uid string, 2 resourceVersion string
)";

constexpr std::string_view kCoreMessages = R"(
Namespace: 1 metadata ObjectMeta, 2 spec NamespaceSpec, 3 status NamespaceStatus
NamespaceSpec: 1 finalizers [string]
NamespaceStatus: 1 phase? string, 2 conditions [NamespaceCondition]
NamespaceCondition: 1 type string, 2 status string, 4 lastTransitionTime Time, 5 reason? string, 6 message? string
Node: 1 metadata ObjectMeta, 2 spec NodeSpec, 3 status NodeStatus
NodeSpec: 1 podCIDR? string, 2 externalID? string, 3 providerID? string, 4 unschedulable? bool, 5 taints [Taint],
    6 configSource NodeConfigSource, 7 podCIDRs [string]
Taint: 1 key string, 2 value? string, 3 effect string, 4 timeAdded Time
NodeConfigSource: 2 configMap ConfigMapNodeConfigSource
ConfigMapNodeConfigSource: 1 namespace string, 2 name string, 3 uid? string, 4 resourceVersion? string,
    5 kubeletConfigKey string
NodeStatus: 1 capacity {Quantity}, 2 allocatable {Quantity}, 3 phase? string, 4 conditions [NodeCondition],
    5 addresses [NodeAddress], 6 daemonEndpoints NodeDaemonEndpoints, 7 nodeInfo NodeSystemInfo, 8 images [ContainerImage],
    9 volumesInUse [string], 10 volumesAttached [AttachedVolume], 11 config NodeConfigStatus,
    12 runtimeHandlers [NodeRuntimeHandler], 13 features NodeFeatures, 14 declaredFeatures [string]
NodeCondition: 1 type string, 2 status string, 3 lastHeartbeatTime Time, 4 lastTransitionTime Time, 5 reason? string,
    6 message? string
NodeAddress: 1 type string, 2 address string
NodeDaemonEndpoints: 1 kubeletEndpoint DaemonEndpoint
DaemonEndpoint: 1 Port int32
NodeSystemInfo: 1 machineID string, 2 systemUUID string, 3 bootID string, 4 kernelVersion string, 5 osImage string,
    6 containerRuntimeVersion string, 7 kubeletVersion string, 8 kubeProxyVersion string, 9 operatingSystem string,
    10 architecture string, 11 swap NodeSwapStatus
NodeSwapStatus: 1 capacity int64
ContainerImage: 1 names [string], 2 sizeBytes? int64
AttachedVolume: 1 name string, 2 devicePath string
NodeConfigStatus: 1 assigned NodeConfigSource, 2 active NodeConfigSource, 3 lastKnownGood NodeConfigSource, 4 error? string
NodeRuntimeHandler: 1 name string, 2 features NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures: 1 recursiveReadOnlyMounts bool, 2 userNamespaces bool
NodeFeatures: 1 supplementalGroupsPolicy bool
Pod: 1 metadata ObjectMeta, 2 spec PodSpec, 3 status PodStatus
PodSpec: 1 volumes [Volume], 2 containers [Container], 3 restartPolicy? string, 4 terminationGracePeriodSeconds int64,
    5 activeDeadlineSeconds int64, 6 dnsPolicy? string, 7 nodeSelector {string}, 8 serviceAccountName? string,
    9 serviceAccount? string, 10 nodeName? string, 11 hostNetwork? bool, 12 hostPID? bool, 13 hostIPC? bool,
    14 securityContext PodSecurityContext, 15 imagePullSecrets [LocalObjectReference], 16 hostname? string,
    17 subdomain? string, 18 affinity Affinity, 19 schedulerName? string, 20 initContainers [Container],
    21 automountServiceAccountToken bool, 22 tolerations [Toleration], 23 hostAliases [HostAlias], 24 priorityClassName? string,
    25 priority int32, 26 dnsConfig PodDNSConfig, 27 shareProcessNamespace bool, 28 readinessGates [PodReadinessGate],
    29 runtimeClassName string, 30 enableServiceLinks bool, 31 preemptionPolicy string, 32 overhead {Quantity},
    33 topologySpreadConstraints [TopologySpreadConstraint], 34 ephemeralContainers [EphemeralContainer],
    35 setHostnameAsFQDN bool, 36 os PodOS, 37 hostUsers bool, 38 schedulingGates [PodSchedulingGate],
    39 resourceClaims [PodResourceClaim], 40 resources ResourceRequirements, 41 hostnameOverride string,
    43 schedulingGroup PodSchedulingGroup
Volume: 1 name string, 2 inline VolumeSource
VolumeSource: 1 hostPath HostPathVolumeSource, 2 emptyDir EmptyDirVolumeSource,
    3 gcePersistentDisk GCEPersistentDiskVolumeSource, 4 awsElasticBlockStore AWSElasticBlockStoreVolumeSource,
    5 gitRepo GitRepoVolumeSource, 6 secret SecretVolumeSource, 7 nfs NFSVolumeSource, 8 iscsi ISCSIVolumeSource,
    9 glusterfs GlusterfsVolumeSource, 10 persistentVolumeClaim PersistentVolumeClaimVolumeSource, 11 rbd RBDVolumeSource,
    12 flexVolume FlexVolumeSource, 13 cinder CinderVolumeSource, 14 cephfs CephFSVolumeSource, 15 flocker FlockerVolumeSource,
    16 downwardAPI DownwardAPIVolumeSource, 17 fc FCVolumeSource, 18 azureFile AzureFileVolumeSource,
    19 configMap ConfigMapVolumeSource, 20 vsphereVolume VsphereVirtualDiskVolumeSource, 21 quobyte QuobyteVolumeSource,
    22 azureDisk AzureDiskVolumeSource, 23 photonPersistentDisk PhotonPersistentDiskVolumeSource,
    24 portworxVolume PortworxVolumeSource, 25 scaleIO ScaleIOVolumeSource, 26 projected ProjectedVolumeSource,
    27 storageos StorageOSVolumeSource, 28 csi CSIVolumeSource, 29 ephemeral EphemeralVolumeSource, 30 image ImageVolumeSource
HostPathVolumeSource: 1 path string, 2 type string
EmptyDirVolumeSource: 1 medium? string, 2 sizeLimit Quantity
GCEPersistentDiskVolumeSource: 1 pdName string, 2 fsType? string, 3 partition? int32, 4 readOnly? bool
AWSElasticBlockStoreVolumeSource: 1 volumeID string, 2 fsType? string, 3 partition? int32, 4 readOnly? bool
GitRepoVolumeSource: 1 repository string, 2 revision? string, 3 directory? string
SecretVolumeSource: 1 secretName? string, 2 items [KeyToPath], 3 defaultMode int32, 4 optional bool
KeyToPath: 1 key string, 2 path string, 3 mode int32
NFSVolumeSource: 1 server string, 2 path string, 3 readOnly? bool
ISCSIVolumeSource: 1 targetPortal string, 2 iqn string, 3 lun int32, 4 iscsiInterface? string, 5 fsType? string,
    6 readOnly? bool, 7 portals [string], 8 chapAuthDiscovery? bool, 10 secretRef LocalObjectReference,
    11 chapAuthSession? bool, 12 initiatorName string
LocalObjectReference: 1 name? string
GlusterfsVolumeSource: 1 endpoints string, 2 path string, 3 readOnly? bool
PersistentVolumeClaimVolumeSource: 1 claimName string, 2 readOnly? bool
RBDVolumeSource: 1 monitors [string], 2 image string, 3 fsType? string, 4 pool? string, 5 user? string, 6 keyring? string,
    7 secretRef LocalObjectReference, 8 readOnly? bool
FlexVolumeSource: 1 driver string, 2 fsType? string, 3 secretRef LocalObjectReference, 4 readOnly? bool, 5 options {string}
CinderVolumeSource: 1 volumeID string, 2 fsType? string, 3 readOnly? bool, 4 secretRef LocalObjectReference
CephFSVolumeSource: 1 monitors [string], 2 path? string, 3 user? string, 4 secretFile? string, 5 secretRef LocalObjectReference,
    6 readOnly? bool
FlockerVolumeSource: 1 datasetName? string, 2 datasetUUID? string
DownwardAPIVolumeSource: 1 items [DownwardAPIVolumeFile], 2 defaultMode int32
DownwardAPIVolumeFile: 1 path string, 2 fieldRef ObjectFieldSelector, 3 resourceFieldRef ResourceFieldSelector, 4 mode int32
ObjectFieldSelector: 1 apiVersion? string, 2 fieldPath string
ResourceFieldSelector: 1 containerName? string, 2 resource string, 3 divisor Quantity
FCVolumeSource: 1 targetWWNs [string], 2 lun int32, 3 fsType? string, 4 readOnly? bool, 5 wwids [string]
AzureFileVolumeSource: 1 secretName string, 2 shareName string, 3 readOnly? bool
ConfigMapVolumeSource: 1 inline LocalObjectReference, 2 items [KeyToPath], 3 defaultMode int32, 4 optional bool
VsphereVirtualDiskVolumeSource: 1 volumePath string, 2 fsType? string, 3 storagePolicyName? string, 4 storagePolicyID? string
QuobyteVolumeSource: 1 registry string, 2 volume string, 3 readOnly? bool, 4 user? string, 5 group? string, 6 tenant? string
AzureDiskVolumeSource: 1 diskName string, 2 diskURI string, 3 cachingMode string, 4 fsType string, 5 readOnly bool,
    6 kind string
PhotonPersistentDiskVolumeSource: 1 pdID string, 2 fsType? string
ProjectedVolumeSource: 1 sources [VolumeProjection], 2 defaultMode int32
VolumeProjection: 1 secret SecretProjection, 2 downwardAPI DownwardAPIProjection, 3 configMap ConfigMapProjection,
    4 serviceAccountToken ServiceAccountTokenProjection, 5 clusterTrustBundle ClusterTrustBundleProjection,
    6 podCertificate PodCertificateProjection
SecretProjection: 1 inline LocalObjectReference, 2 items [KeyToPath], 4 optional bool
DownwardAPIProjection: 1 items [DownwardAPIVolumeFile]
ConfigMapProjection: 1 inline LocalObjectReference, 2 items [KeyToPath], 4 optional bool
ServiceAccountTokenProjection: 1 audience? string, 2 expirationSeconds int64, 3 path string
ClusterTrustBundleProjection: 1 name string, 2 signerName string, 3 labelSelector LabelSelector, 4 path string, 5 optional bool
PodCertificateProjection: 1 signerName? string, 2 keyType? string, 3 maxExpirationSeconds int32, 4 credentialBundlePath? string,
    5 keyPath? string, 6 certificateChainPath? string, 7 userAnnotations {string}
PortworxVolumeSource: 1 volumeID string, 2 fsType? string, 3 readOnly? bool
ScaleIOVolumeSource: 1 gateway string, 2 system string, 3 secretRef LocalObjectReference, 4 sslEnabled? bool,
    5 protectionDomain? string, 6 storagePool? string, 7 storageMode? string, 8 volumeName? string, 9 fsType? string,
    10 readOnly? bool
StorageOSVolumeSource: 1 volumeName? string, 2 volumeNamespace? string, 3 fsType? string, 4 readOnly? bool,
    5 secretRef LocalObjectReference
CSIVolumeSource: 1 driver string, 2 readOnly bool, 3 fsType string, 4 volumeAttributes {string},
    5 nodePublishSecretRef LocalObjectReference
EphemeralVolumeSource: 1 volumeClaimTemplate PersistentVolumeClaimTemplate
PersistentVolumeClaimTemplate: 1 metadata ObjectMeta, 2 spec PersistentVolumeClaimSpec
PersistentVolumeClaimSpec: 1 accessModes [string], 2 resources VolumeResourceRequirements, 3 volumeName? string,
    4 selector LabelSelector, 5 storageClassName string, 6 volumeMode string, 7 dataSource TypedLocalObjectReference,
    8 dataSourceRef TypedObjectReference, 9 volumeAttributesClassName string
VolumeResourceRequirements: 1 limits {Quantity}, 2 requests {Quantity}
TypedLocalObjectReference: 1 apiGroup string, 2 kind string, 3 name string
TypedObjectReference: 1 apiGroup string, 2 kind string, 3 name string, 4 namespace string
ImageVolumeSource: 1 reference? string, 2 pullPolicy? string
Container: 1 name string, 2 image? string, 3 command [string], 4 args [string], 5 workingDir? string, 6 ports [ContainerPort],
    7 env [EnvVar], 8 resources ResourceRequirements, 9 volumeMounts [VolumeMount], 10 livenessProbe Probe,
    11 readinessProbe Probe, 12 lifecycle Lifecycle, 13 terminationMessagePath? string, 14 imagePullPolicy? string,
    15 securityContext SecurityContext, 16 stdin? bool, 17 stdinOnce? bool, 18 tty? bool, 19 envFrom [EnvFromSource],
    20 terminationMessagePolicy? string, 21 volumeDevices [VolumeDevice], 22 startupProbe Probe,
    23 resizePolicy [ContainerResizePolicy], 24 restartPolicy string, 25 restartPolicyRules [ContainerRestartRule]
ContainerPort: 1 name? string, 2 hostPort? int32, 3 containerPort int32, 4 protocol? string, 5 hostIP? string
EnvFromSource: 1 prefix? string, 2 configMapRef ConfigMapEnvSource, 3 secretRef SecretEnvSource
ConfigMapEnvSource: 1 inline LocalObjectReference, 2 optional bool
SecretEnvSource: 1 inline LocalObjectReference, 2 optional bool
EnvVar: 1 name string, 2 value? string, 3 valueFrom EnvVarSource
EnvVarSource: 1 fieldRef ObjectFieldSelector, 2 resourceFieldRef ResourceFieldSelector, 3 configMapKeyRef ConfigMapKeySelector,
    4 secretKeyRef SecretKeySelector, 5 fileKeyRef FileKeySelector
ConfigMapKeySelector: 1 inline LocalObjectReference, 2 key string, 3 optional bool
SecretKeySelector: 1 inline LocalObjectReference, 2 key string, 3 optional bool
FileKeySelector: 1 volumeName string, 2 path string, 3 key string, 4 optional bool
ResourceRequirements: 1 limits {Quantity}, 2 requests {Quantity}, 3 claims [ResourceClaim]
ResourceClaim: 1 name string, 2 request? string
ContainerResizePolicy: 1 resourceName string, 2 restartPolicy string
ContainerRestartRule: 1 action? string, 2 exitCodes ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes: 1 operator? string, 2 values [int32]
VolumeMount: 1 name string, 2 readOnly? bool, 3 mountPath string, 4 subPath? string, 5 mountPropagation string,
    6 subPathExpr? string, 7 recursiveReadOnly string
VolumeDevice: 1 name string, 2 devicePath string
Probe: 1 inline ProbeHandler, 2 initialDelaySeconds? int32, 3 timeoutSeconds? int32, 4 periodSeconds? int32,
    5 successThreshold? int32, 6 failureThreshold? int32, 7 terminationGracePeriodSeconds int64
ProbeHandler: 1 exec ExecAction, 2 httpGet HTTPGetAction, 3 tcpSocket TCPSocketAction, 4 grpc GRPCAction
ExecAction: 1 command [string]
HTTPGetAction: 1 path? string, 2 port IntOrString, 3 host? string, 4 scheme? string, 5 httpHeaders [HTTPHeader]
HTTPHeader: 1 name string, 2 value string
TCPSocketAction: 1 port IntOrString, 2 host? string
GRPCAction: 1 port int32, 2 service string
Lifecycle: 1 postStart LifecycleHandler, 2 preStop LifecycleHandler, 3 stopSignal string
LifecycleHandler: 1 exec ExecAction, 2 httpGet HTTPGetAction, 3 tcpSocket TCPSocketAction, 4 sleep SleepAction
SleepAction: 1 seconds int64
SecurityContext: 1 capabilities Capabilities, 2 privileged bool, 3 seLinuxOptions SELinuxOptions, 4 runAsUser int64,
    5 runAsNonRoot bool, 6 readOnlyRootFilesystem bool, 7 allowPrivilegeEscalation bool, 8 runAsGroup int64, 9 procMount string,
    10 windowsOptions WindowsSecurityContextOptions, 11 seccompProfile SeccompProfile, 12 appArmorProfile AppArmorProfile
Capabilities: 1 add [string], 2 drop [string]
SELinuxOptions: 1 user? string, 2 role? string, 3 type? string, 4 level? string
WindowsSecurityContextOptions: 1 gmsaCredentialSpecName string, 2 gmsaCredentialSpec string, 3 runAsUserName string,
    4 hostProcess bool
SeccompProfile: 1 type string, 2 localhostProfile string
AppArmorProfile: 1 type string, 2 localhostProfile string
EphemeralContainer: 1 inline EphemeralContainerCommon, 2 targetContainerName? string
EphemeralContainerCommon: 1 name string, 2 image? string, 3 command [string], 4 args [string], 5 workingDir? string,
    6 ports [ContainerPort], 7 env [EnvVar], 8 resources ResourceRequirements, 9 volumeMounts [VolumeMount],
    10 livenessProbe Probe, 11 readinessProbe Probe, 12 lifecycle Lifecycle, 13 terminationMessagePath? string,
    14 imagePullPolicy? string, 15 securityContext SecurityContext, 16 stdin? bool, 17 stdinOnce? bool, 18 tty? bool,
    19 envFrom [EnvFromSource], 20 terminationMessagePolicy? string, 21 volumeDevices [VolumeDevice], 22 startupProbe Probe,
    23 resizePolicy [ContainerResizePolicy], 24 restartPolicy string, 25 restartPolicyRules [ContainerRestartRule]
PodSecurityContext: 1 seLinuxOptions SELinuxOptions, 2 runAsUser int64, 3 runAsNonRoot bool, 4 supplementalGroups [int64],
    5 fsGroup int64, 6 runAsGroup int64, 7 sysctls [Sysctl], 8 windowsOptions WindowsSecurityContextOptions,
    9 fsGroupChangePolicy string, 10 seccompProfile SeccompProfile, 11 appArmorProfile AppArmorProfile,
    12 supplementalGroupsPolicy string, 13 seLinuxChangePolicy string
Sysctl: 1 name string, 2 value string
Affinity: 1 nodeAffinity NodeAffinity, 2 podAffinity PodAffinity, 3 podAntiAffinity PodAntiAffinity
NodeAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution NodeSelector,
    2 preferredDuringSchedulingIgnoredDuringExecution [PreferredSchedulingTerm]
NodeSelector: 1 nodeSelectorTerms [NodeSelectorTerm]
NodeSelectorTerm: 1 matchExpressions [NodeSelectorRequirement], 2 matchFields [NodeSelectorRequirement]
NodeSelectorRequirement: 1 key string, 2 operator string, 3 values [string]
PreferredSchedulingTerm: 1 weight int32, 2 preference NodeSelectorTerm
PodAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution [PodAffinityTerm],
    2 preferredDuringSchedulingIgnoredDuringExecution [WeightedPodAffinityTerm]
PodAffinityTerm: 1 labelSelector LabelSelector, 2 namespaces [string], 3 topologyKey string, 4 namespaceSelector LabelSelector,
    5 matchLabelKeys [string], 6 mismatchLabelKeys [string]
WeightedPodAffinityTerm: 1 weight int32, 2 podAffinityTerm PodAffinityTerm
PodAntiAffinity: 1 requiredDuringSchedulingIgnoredDuringExecution [PodAffinityTerm],
    2 preferredDuringSchedulingIgnoredDuringExecution [WeightedPodAffinityTerm]
Toleration: 1 key? string, 2 operator? string, 3 value? string, 4 effect? string, 5 tolerationSeconds int64
HostAlias: 1 ip string, 2 hostnames [string]
PodDNSConfig: 1 nameservers [string], 2 searches [string], 3 options [PodDNSConfigOption]
PodDNSConfigOption: 1 name? string, 2 value string
PodReadinessGate: 1 conditionType string
TopologySpreadConstraint: 1 maxSkew int32, 2 topologyKey string, 3 whenUnsatisfiable string, 4 labelSelector LabelSelector,
    5 minDomains int32, 6 nodeAffinityPolicy string, 7 nodeTaintsPolicy string, 8 matchLabelKeys [string]
PodOS: 1 name string
PodSchedulingGate: 1 name string
PodResourceClaim: 1 name string, 3 resourceClaimName string, 4 resourceClaimTemplateName string
PodSchedulingGroup: 1 podGroupName string
PodStatus: 1 phase? string, 2 conditions [PodCondition], 3 message? string, 4 reason? string, 5 hostIP? string, 6 podIP? string,
    7 startTime Time, 8 containerStatuses [ContainerStatus], 9 qosClass? string, 10 initContainerStatuses [ContainerStatus],
    11 nominatedNodeName? string, 12 podIPs [PodIP], 13 ephemeralContainerStatuses [ContainerStatus], 14 resize? string,
    15 resourceClaimStatuses [PodResourceClaimStatus], 16 hostIPs [HostIP], 17 observedGeneration? int64,
    18 extendedResourceClaimStatus PodExtendedResourceClaimStatus, 19 allocatedResources {Quantity},
    20 resources ResourceRequirements, 21 nodeAllocatableResourceClaimStatuses [NodeAllocatableResourceClaimStatus]
PodCondition: 1 type string, 2 status string, 3 lastProbeTime Time, 4 lastTransitionTime Time, 5 reason? string,
    6 message? string, 7 observedGeneration? int64
HostIP: 1 ip string
PodIP: 1 ip string
ContainerStatus: 1 name string, 2 state ContainerState, 3 lastState ContainerState, 4 ready bool, 5 restartCount int32,
    6 image string, 7 imageID string, 8 containerID? string, 9 started bool, 10 allocatedResources {Quantity},
    11 resources ResourceRequirements, 12 volumeMounts [VolumeMountStatus], 13 user ContainerUser,
    14 allocatedResourcesStatus [ResourceStatus], 15 stopSignal string
ContainerState: 1 waiting ContainerStateWaiting, 2 running ContainerStateRunning, 3 terminated ContainerStateTerminated
ContainerStateWaiting: 1 reason? string, 2 message? string
ContainerStateRunning: 1 startedAt Time
ContainerStateTerminated: 1 exitCode int32, 2 signal? int32, 3 reason? string, 4 message? string, 5 startedAt Time,
    6 finishedAt Time, 7 containerID? string
VolumeMountStatus: 1 name string, 2 mountPath string, 3 readOnly? bool, 4 recursiveReadOnly string, 5 volumeStatus VolumeStatus
VolumeStatus: 1 image ImageVolumeStatus
ImageVolumeStatus: 1 imageRef? string
ContainerUser: 1 linux LinuxContainerUser
LinuxContainerUser: 1 uid int64, 2 gid int64, 3 supplementalGroups [int64]
ResourceStatus: 1 name string, 2 resources [ResourceHealth]
ResourceHealth: 1 resourceID string, 2 health? string, 6 message string
PodResourceClaimStatus: 1 name string, 2 resourceClaimName string
PodExtendedResourceClaimStatus: 1 requestMappings [ContainerExtendedResourceRequest], 2 resourceClaimName string
ContainerExtendedResourceRequest: 1 containerName string, 2 resourceName string, 3 requestName string
NodeAllocatableResourceClaimStatus: 1 resourceClaimName string, 2 containers [string], 3 resources {Quantity}
Service: 1 metadata ObjectMeta, 2 spec ServiceSpec, 3 status ServiceStatus
ServiceSpec: 1 ports [ServicePort], 2 selector {string}, 3 clusterIP? string, 4 type? string, 5 externalIPs [string],
    7 sessionAffinity? string, 8 loadBalancerIP? string, 9 loadBalancerSourceRanges [string], 10 externalName? string,
    11 externalTrafficPolicy? string, 12 healthCheckNodePort? int32, 13 publishNotReadyAddresses? bool,
    14 sessionAffinityConfig SessionAffinityConfig, 17 ipFamilyPolicy string, 18 clusterIPs [string], 19 ipFamilies [string],
    20 allocateLoadBalancerNodePorts bool, 21 loadBalancerClass string, 22 internalTrafficPolicy string,
    23 trafficDistribution string
ServicePort: 1 name? string, 2 protocol? string, 3 port int32, 4 targetPort IntOrString, 5 nodePort? int32, 6 appProtocol string
SessionAffinityConfig: 1 clientIP ClientIPConfig
ClientIPConfig: 1 timeoutSeconds int32
ServiceStatus: 1 loadBalancer LoadBalancerStatus, 2 conditions [Condition]
LoadBalancerStatus: 1 ingress [LoadBalancerIngress]
LoadBalancerIngress: 1 ip? string, 2 hostname? string, 3 ipMode string, 4 ports [PortStatus]
PortStatus: 1 port int32, 2 protocol string, 3 error string
ConfigMap: 1 metadata ObjectMeta, 2 data {string}, 3 binaryData {bytes}, 4 immutable bool
Secret: 1 metadata ObjectMeta, 2 data {bytes}, 3 type? string, 4 stringData {string}, 5 immutable bool
ServiceAccount: 1 metadata ObjectMeta, 2 secrets [ObjectReference], 3 imagePullSecrets [LocalObjectReference],
    4 automountServiceAccountToken bool
ObjectReference: 1 kind? string, 2 namespace? string, 3 name? string, 4 uid? string, 5 apiVersion? string,
    6 resourceVersion? string, 7 fieldPath? string
Event: 1 metadata ObjectMeta, 2 involvedObject ObjectReference, 3 reason? string, 4 message? string, 5 source EventSource,
    6 firstTimestamp Time, 7 lastTimestamp Time, 8 count? int32, 9 type? string, 10 eventTime MicroTime, 11 series EventSeries,
    12 action? string, 13 related ObjectReference, 14 reportingComponent string, 15 reportingInstance string
EventSource: 1 component? string, 2 host? string
EventSeries: 1 count? int32, 2 lastObservedTime MicroTime
LimitRange: 1 metadata ObjectMeta, 2 spec LimitRangeSpec
LimitRangeSpec: 1 limits [LimitRangeItem]
LimitRangeItem: 1 type string, 2 max {Quantity}, 3 min {Quantity}, 4 default {Quantity}, 5 defaultRequest {Quantity},
    6 maxLimitRequestRatio {Quantity}
ResourceQuota: 1 metadata ObjectMeta, 2 spec ResourceQuotaSpec, 3 status ResourceQuotaStatus
ResourceQuotaSpec: 1 hard {Quantity}, 2 scopes [string], 3 scopeSelector ScopeSelector
ScopeSelector: 1 matchExpressions [ScopedResourceSelectorRequirement]
ScopedResourceSelectorRequirement: 1 scopeName string, 2 operator string, 3 values [string]
ResourceQuotaStatus: 1 hard {Quantity}, 2 used {Quantity}
PersistentVolume: 1 metadata ObjectMeta, 2 spec PersistentVolumeSpec, 3 status PersistentVolumeStatus
PersistentVolumeSpec: 1 capacity {Quantity}, 2 inline PersistentVolumeSource, 3 accessModes [string],
    4 claimRef ObjectReference, 5 persistentVolumeReclaimPolicy? string, 6 storageClassName? string, 7 mountOptions [string],
    8 volumeMode string, 9 nodeAffinity VolumeNodeAffinity, 10 volumeAttributesClassName string
PersistentVolumeSource: 1 gcePersistentDisk GCEPersistentDiskVolumeSource,
    2 awsElasticBlockStore AWSElasticBlockStoreVolumeSource, 3 hostPath HostPathVolumeSource,
    4 glusterfs GlusterfsPersistentVolumeSource, 5 nfs NFSVolumeSource, 6 rbd RBDPersistentVolumeSource,
    7 iscsi ISCSIPersistentVolumeSource, 8 cinder CinderPersistentVolumeSource, 9 cephfs CephFSPersistentVolumeSource,
    10 fc FCVolumeSource, 11 flocker FlockerVolumeSource, 12 flexVolume FlexPersistentVolumeSource,
    13 azureFile AzureFilePersistentVolumeSource, 14 vsphereVolume VsphereVirtualDiskVolumeSource,
    15 quobyte QuobyteVolumeSource, 16 azureDisk AzureDiskVolumeSource,
    17 photonPersistentDisk PhotonPersistentDiskVolumeSource, 18 portworxVolume PortworxVolumeSource,
    19 scaleIO ScaleIOPersistentVolumeSource, 20 local LocalVolumeSource, 21 storageos StorageOSPersistentVolumeSource,
    22 csi CSIPersistentVolumeSource
GlusterfsPersistentVolumeSource: 1 endpoints string, 2 path string, 3 readOnly? bool, 4 endpointsNamespace string
RBDPersistentVolumeSource: 1 monitors [string], 2 image string, 3 fsType? string, 4 pool? string, 5 user? string,
    6 keyring? string, 7 secretRef SecretReference, 8 readOnly? bool
SecretReference: 1 name? string, 2 namespace? string
ISCSIPersistentVolumeSource: 1 targetPortal string, 2 iqn string, 3 lun int32, 4 iscsiInterface? string, 5 fsType? string,
    6 readOnly? bool, 7 portals [string], 8 chapAuthDiscovery? bool, 10 secretRef SecretReference, 11 chapAuthSession? bool,
    12 initiatorName string
CinderPersistentVolumeSource: 1 volumeID string, 2 fsType? string, 3 readOnly? bool, 4 secretRef SecretReference
CephFSPersistentVolumeSource: 1 monitors [string], 2 path? string, 3 user? string, 4 secretFile? string,
    5 secretRef SecretReference, 6 readOnly? bool
FlexPersistentVolumeSource: 1 driver string, 2 fsType? string, 3 secretRef SecretReference, 4 readOnly? bool, 5 options {string}
AzureFilePersistentVolumeSource: 1 secretName string, 2 shareName string, 3 readOnly? bool, 4 secretNamespace string
ScaleIOPersistentVolumeSource: 1 gateway string, 2 system string, 3 secretRef SecretReference, 4 sslEnabled? bool,
    5 protectionDomain? string, 6 storagePool? string, 7 storageMode? string, 8 volumeName? string, 9 fsType? string,
    10 readOnly? bool
LocalVolumeSource: 1 path string, 2 fsType string
StorageOSPersistentVolumeSource: 1 volumeName? string, 2 volumeNamespace? string, 3 fsType? string, 4 readOnly? bool,
    5 secretRef ObjectReference
CSIPersistentVolumeSource: 1 driver string, 2 volumeHandle string, 3 readOnly? bool, 4 fsType? string,
    5 volumeAttributes {string}, 6 controllerPublishSecretRef SecretReference, 7 nodeStageSecretRef SecretReference,
    8 nodePublishSecretRef SecretReference, 9 controllerExpandSecretRef SecretReference, 10 nodeExpandSecretRef SecretReference
VolumeNodeAffinity: 1 required NodeSelector
PersistentVolumeStatus: 1 phase? string, 2 message? string, 3 reason? string, 4 lastPhaseTransitionTime Time
PersistentVolumeClaim: 1 metadata ObjectMeta, 2 spec PersistentVolumeClaimSpec, 3 status PersistentVolumeClaimStatus
PersistentVolumeClaimStatus: 1 phase? string, 2 accessModes [string], 3 capacity {Quantity},
    4 conditions [PersistentVolumeClaimCondition], 5 allocatedResources {Quantity}, 7 allocatedResourceStatuses {string},
    8 currentVolumeAttributesClassName string, 9 modifyVolumeStatus ModifyVolumeStatus
PersistentVolumeClaimCondition: 1 type string, 2 status string, 3 lastProbeTime Time, 4 lastTransitionTime Time,
    5 reason? string, 6 message? string
ModifyVolumeStatus: 1 targetVolumeAttributesClassName? string, 2 status string
ReplicationController: 1 metadata ObjectMeta, 2 spec ReplicationControllerSpec, 3 status ReplicationControllerStatus
ReplicationControllerSpec: 1 replicas int32, 2 selector {string}, 3 template PodTemplateSpec, 4 minReadySeconds? int32
PodTemplateSpec: 1 metadata ObjectMeta, 2 spec PodSpec
ReplicationControllerStatus: 1 replicas int32, 2 fullyLabeledReplicas? int32, 3 observedGeneration? int64,
    4 readyReplicas? int32, 5 availableReplicas? int32, 6 conditions [ReplicationControllerCondition]
ReplicationControllerCondition: 1 type string, 2 status string, 3 lastTransitionTime Time, 4 reason? string, 5 message? string
Binding: 1 metadata ObjectMeta, 2 target ObjectReference
TopologySelectorTerm: 1 matchLabelExpressions [TopologySelectorLabelRequirement]
TopologySelectorLabelRequirement: 1 key string, 2 values [string]
)";

constexpr std::string_view kAppsMessages = R"(
DaemonSet: 1 metadata ObjectMeta, 2 spec DaemonSetSpec, 3 status DaemonSetStatus
DaemonSetSpec: 1 selector LabelSelector, 2 template PodTemplateSpec, 3 updateStrategy DaemonSetUpdateStrategy,
    4 minReadySeconds? int32, 6 revisionHistoryLimit int32
DaemonSetUpdateStrategy: 1 type? string, 2 rollingUpdate RollingUpdateDaemonSet
RollingUpdateDaemonSet: 1 maxUnavailable IntOrString, 2 maxSurge IntOrString
DaemonSetStatus: 1 currentNumberScheduled int32, 2 numberMisscheduled int32, 3 desiredNumberScheduled int32,
    4 numberReady int32, 5 observedGeneration? int64, 6 updatedNumberScheduled? int32, 7 numberAvailable? int32,
    8 numberUnavailable? int32, 9 collisionCount int32, 10 conditions [DaemonSetCondition]
DaemonSetCondition: 1 type string, 2 status string, 3 lastTransitionTime Time, 4 reason? string, 5 message? string
Deployment: 1 metadata ObjectMeta, 2 spec DeploymentSpec, 3 status DeploymentStatus
DeploymentSpec: 1 replicas int32, 2 selector LabelSelector, 3 template PodTemplateSpec, 4 strategy DeploymentStrategy,
    5 minReadySeconds? int32, 6 revisionHistoryLimit int32, 7 paused? bool, 9 progressDeadlineSeconds int32
DeploymentStrategy: 1 type? string, 2 rollingUpdate RollingUpdateDeployment
RollingUpdateDeployment: 1 maxUnavailable IntOrString, 2 maxSurge IntOrString
DeploymentStatus: 1 observedGeneration? int64, 2 replicas? int32, 3 updatedReplicas? int32, 4 availableReplicas? int32,
    5 unavailableReplicas? int32, 6 conditions [DeploymentCondition], 7 readyReplicas? int32, 8 collisionCount int32,
    9 terminatingReplicas int32
DeploymentCondition: 1 type string, 2 status string, 4 reason? string, 5 message? string, 6 lastUpdateTime Time,
    7 lastTransitionTime Time
ReplicaSet: 1 metadata ObjectMeta, 2 spec ReplicaSetSpec, 3 status ReplicaSetStatus
ReplicaSetSpec: 1 replicas int32, 2 selector LabelSelector, 3 template PodTemplateSpec, 4 minReadySeconds? int32
ReplicaSetStatus: 1 replicas int32, 2 fullyLabeledReplicas? int32, 3 observedGeneration? int64, 4 readyReplicas? int32,
    5 availableReplicas? int32, 6 conditions [ReplicaSetCondition], 7 terminatingReplicas int32
ReplicaSetCondition: 1 type string, 2 status string, 3 lastTransitionTime Time, 4 reason? string, 5 message? string
StatefulSet: 1 metadata ObjectMeta, 2 spec StatefulSetSpec, 3 status StatefulSetStatus
StatefulSetSpec: 1 replicas int32, 2 selector LabelSelector, 3 template PodTemplateSpec,
    4 volumeClaimTemplates [PersistentVolumeClaim], 5 serviceName string, 6 podManagementPolicy? string,
    7 updateStrategy StatefulSetUpdateStrategy, 8 revisionHistoryLimit int32, 9 minReadySeconds? int32,
    10 persistentVolumeClaimRetentionPolicy StatefulSetPersistentVolumeClaimRetentionPolicy, 11 ordinals StatefulSetOrdinals
StatefulSetUpdateStrategy: 1 type? string, 2 rollingUpdate RollingUpdateStatefulSetStrategy
RollingUpdateStatefulSetStrategy: 1 partition int32, 2 maxUnavailable IntOrString
StatefulSetPersistentVolumeClaimRetentionPolicy: 1 whenDeleted? string, 2 whenScaled? string
StatefulSetOrdinals: 1 start int32
StatefulSetStatus: 1 observedGeneration? int64, 2 replicas int32, 3 readyReplicas? int32, 4 currentReplicas? int32,
    5 updatedReplicas? int32, 6 currentRevision? string, 7 updateRevision? string, 9 collisionCount int32,
    10 conditions [StatefulSetCondition], 11 availableReplicas int32
StatefulSetCondition: 1 type string, 2 status string, 3 lastTransitionTime Time, 4 reason? string, 5 message? string
)";

constexpr std::string_view kBatchMessages = R"(
CronJob: 1 metadata ObjectMeta, 2 spec CronJobSpec, 3 status CronJobStatus
CronJobSpec: 1 schedule string, 2 startingDeadlineSeconds int64, 3 concurrencyPolicy? string, 4 suspend bool,
    5 jobTemplate JobTemplateSpec, 6 successfulJobsHistoryLimit int32, 7 failedJobsHistoryLimit int32, 8 timeZone string
JobTemplateSpec: 1 metadata ObjectMeta, 2 spec JobSpec
JobSpec: 1 parallelism int32, 2 completions int32, 3 activeDeadlineSeconds int64, 4 selector LabelSelector,
    5 manualSelector bool, 6 template PodTemplateSpec, 7 backoffLimit int32, 8 ttlSecondsAfterFinished int32,
    9 completionMode string, 10 suspend bool, 11 podFailurePolicy PodFailurePolicy, 12 backoffLimitPerIndex int32,
    13 maxFailedIndexes int32, 14 podReplacementPolicy string, 15 managedBy string, 16 successPolicy SuccessPolicy
PodFailurePolicy: 1 rules [PodFailurePolicyRule]
PodFailurePolicyRule: 1 action string, 2 onExitCodes PodFailurePolicyOnExitCodesRequirement,
    3 onPodConditions [PodFailurePolicyOnPodConditionsPattern]
PodFailurePolicyOnExitCodesRequirement: 1 containerName string, 2 operator string, 3 values [int32]
PodFailurePolicyOnPodConditionsPattern: 1 type string, 2 status string
SuccessPolicy: 1 rules [SuccessPolicyRule]
SuccessPolicyRule: 1 succeededIndexes string, 2 succeededCount int32
CronJobStatus: 1 active [ObjectReference], 4 lastScheduleTime Time, 5 lastSuccessfulTime Time
Job: 1 metadata ObjectMeta, 2 spec JobSpec, 3 status JobStatus
JobStatus: 1 conditions [JobCondition], 2 startTime Time, 3 completionTime Time, 4 active? int32, 5 succeeded? int32,
    6 failed? int32, 7 completedIndexes? string, 8 uncountedTerminatedPods UncountedTerminatedPods, 9 ready int32,
    10 failedIndexes string, 11 terminating int32
JobCondition: 1 type string, 2 status string, 3 lastProbeTime Time, 4 lastTransitionTime Time, 5 reason? string,
    6 message? string
UncountedTerminatedPods: 1 succeeded [string], 2 failed [string]
)";

constexpr std::string_view kCoordinationMessages = R"(
Lease: 1 metadata ObjectMeta, 2 spec LeaseSpec
LeaseSpec: 1 holderIdentity string, 2 leaseDurationSeconds int32, 3 acquireTime MicroTime, 4 renewTime MicroTime,
    5 leaseTransitions int32, 6 strategy string, 7 preferredHolder string
)";

constexpr std::string_view kEventsMessages = R"(
Event: 1 metadata ObjectMeta, 2 eventTime MicroTime, 3 series EventSeries, 4 reportingController? string,
    5 reportingInstance? string, 6 action? string, 7 reason? string, 8 regarding ObjectReference, 9 related ObjectReference,
    10 note? string, 11 type? string, 12 deprecatedSource EventSource, 13 deprecatedFirstTimestamp Time,
    14 deprecatedLastTimestamp Time, 15 deprecatedCount? int32
EventSeries: 1 count int32, 2 lastObservedTime MicroTime
)";

constexpr std::string_view kPolicyMessages = R"(
PodDisruptionBudget: 1 metadata ObjectMeta, 2 spec PodDisruptionBudgetSpec, 3 status PodDisruptionBudgetStatus
PodDisruptionBudgetSpec: 1 minAvailable IntOrString, 2 selector LabelSelector, 3 maxUnavailable IntOrString,
    4 unhealthyPodEvictionPolicy string
PodDisruptionBudgetStatus: 1 observedGeneration? int64, 2 disruptedPods {Time}, 3 disruptionsAllowed int32,
    4 currentHealthy int32, 5 desiredHealthy int32, 6 expectedPods int32, 7 conditions [Condition]
Eviction: 1 metadata ObjectMeta, 2 deleteOptions DeleteOptions
)";

constexpr std::string_view kRbacMessages = R"(
ClusterRole: 1 metadata ObjectMeta, 2 rules [PolicyRule], 3 aggregationRule AggregationRule
PolicyRule: 1 verbs [string], 2 apiGroups [string], 3 resources [string], 4 resourceNames [string], 5 nonResourceURLs [string]
AggregationRule: 1 clusterRoleSelectors [LabelSelector]
ClusterRoleBinding: 1 metadata ObjectMeta, 2 subjects [Subject], 3 roleRef RoleRef
Subject: 1 kind string, 2 apiGroup? string, 3 name string, 4 namespace? string
RoleRef: 1 apiGroup string, 2 kind string, 3 name string
Role: 1 metadata ObjectMeta, 2 rules [PolicyRule]
RoleBinding: 1 metadata ObjectMeta, 2 subjects [Subject], 3 roleRef RoleRef
)";

constexpr std::string_view kResourceMessages = R"(
DeviceClass: 1 metadata ObjectMeta, 2 spec DeviceClassSpec
DeviceClassSpec: 1 selectors [DeviceSelector], 2 config [DeviceClassConfiguration], 4 extendedResourceName string
DeviceSelector: 1 cel CELDeviceSelector
CELDeviceSelector: 1 expression string
DeviceClassConfiguration: 1 inline DeviceConfiguration
DeviceConfiguration: 1 opaque OpaqueDeviceConfiguration
OpaqueDeviceConfiguration: 1 driver string, 2 parameters Json
ResourceClaim: 1 metadata ObjectMeta, 2 spec ResourceClaimSpec, 3 status ResourceClaimStatus
ResourceClaimSpec: 1 devices DeviceClaim
DeviceClaim: 1 requests [DeviceRequest], 2 constraints [DeviceConstraint], 3 config [DeviceClaimConfiguration]
DeviceRequest: 1 name string, 2 exactly ExactDeviceRequest, 3 firstAvailable [DeviceSubRequest]
ExactDeviceRequest: 1 deviceClassName string, 2 selectors [DeviceSelector], 3 allocationMode? string, 4 count? int64,
    5 adminAccess bool, 6 tolerations [DeviceToleration], 7 capacity CapacityRequirements
DeviceToleration: 1 key? string, 2 operator? string, 3 value? string, 4 effect? string, 5 tolerationSeconds int64
CapacityRequirements: 1 requests {Quantity}
DeviceSubRequest: 1 name string, 2 deviceClassName string, 3 selectors [DeviceSelector], 4 allocationMode? string,
    5 count? int64, 6 tolerations [DeviceToleration], 7 capacity CapacityRequirements
DeviceConstraint: 1 requests [string], 2 matchAttribute string, 3 distinctAttribute string
DeviceClaimConfiguration: 1 requests [string], 2 inline DeviceConfiguration
ResourceClaimStatus: 1 allocation AllocationResult, 2 reservedFor [ResourceClaimConsumerReference],
    4 devices [AllocatedDeviceStatus]
AllocationResult: 1 devices DeviceAllocationResult, 3 nodeSelector NodeSelector, 5 allocationTimestamp Time
DeviceAllocationResult: 1 results [DeviceRequestAllocationResult], 2 config [DeviceAllocationConfiguration]
DeviceRequestAllocationResult: 1 request string, 2 driver string, 3 pool string, 4 device string, 5 adminAccess bool,
    6 tolerations [DeviceToleration], 7 bindingConditions [string], 8 bindingFailureConditions [string], 9 shareID string,
    10 consumedCapacity {Quantity}
DeviceAllocationConfiguration: 1 source string, 2 requests [string], 3 inline DeviceConfiguration
ResourceClaimConsumerReference: 1 apiGroup? string, 3 resource string, 4 name string, 5 uid string
AllocatedDeviceStatus: 1 driver string, 2 pool string, 3 device string, 4 conditions [Condition], 5 data Json,
    6 networkData NetworkDeviceData, 7 shareID string
NetworkDeviceData: 1 interfaceName? string, 2 ips [string], 3 hardwareAddress? string
ResourceClaimTemplate: 1 metadata ObjectMeta, 2 spec ResourceClaimTemplateSpec
ResourceClaimTemplateSpec: 1 metadata ObjectMeta, 2 spec ResourceClaimSpec
ResourceSlice: 1 metadata ObjectMeta, 2 spec ResourceSliceSpec
ResourceSliceSpec: 1 driver string, 2 pool ResourcePool, 3 nodeName string, 4 nodeSelector NodeSelector, 5 allNodes bool,
    6 devices [Device], 7 perDeviceNodeSelection bool, 8 sharedCounters [CounterSet]
ResourcePool: 1 name string, 2 generation int64, 3 resourceSliceCount int64
Device: 1 name string, 2 attributes {DeviceAttribute}, 3 capacity {DeviceCapacity},
    4 consumesCounters [DeviceCounterConsumption], 5 nodeName string, 6 nodeSelector NodeSelector, 7 allNodes bool,
    8 taints [DeviceTaint], 9 bindsToNode bool, 10 bindingConditions [string], 11 bindingFailureConditions [string],
    12 allowMultipleAllocations bool, 13 nodeAllocatableResourceMappings {NodeAllocatableResourceMapping}
DeviceAttribute: 2 int int64, 3 bool bool, 4 string string, 5 version string, 6 ints [int64], 7 bools [bool],
    8 strings [string], 9 versions [string]
DeviceCapacity: 1 value Quantity, 2 requestPolicy CapacityRequestPolicy
CapacityRequestPolicy: 1 default Quantity, 3 validValues [Quantity], 4 validRange CapacityRequestPolicyRange
CapacityRequestPolicyRange: 1 min Quantity, 2 max Quantity, 3 step Quantity
DeviceCounterConsumption: 1 counterSet string, 2 counters {Counter}
Counter: 1 value Quantity
DeviceTaint: 1 key string, 2 value? string, 3 effect string, 4 timeAdded Time
NodeAllocatableResourceMapping: 1 capacityKey string, 2 allocationMultiplier Quantity
CounterSet: 1 name string, 2 counters {Counter}
)";

constexpr std::string_view kSchedulingMessages = R"(
PriorityClass: 1 metadata ObjectMeta, 2 value int32, 3 globalDefault? bool, 4 description? string, 5 preemptionPolicy string
)";

constexpr std::string_view kStorageMessages = R"(
CSIDriver: 1 metadata ObjectMeta, 2 spec CSIDriverSpec
CSIDriverSpec: 1 attachRequired bool, 2 podInfoOnMount bool, 3 volumeLifecycleModes [string], 4 storageCapacity bool,
    5 fsGroupPolicy string, 6 tokenRequests [TokenRequest], 7 requiresRepublish bool, 8 seLinuxMount bool,
    9 nodeAllocatableUpdatePeriodSeconds int64, 10 serviceAccountTokenInSecrets bool, 11 preventPodSchedulingIfMissing bool
TokenRequest: 1 audience string, 2 expirationSeconds int64
CSINode: 1 metadata ObjectMeta, 2 spec CSINodeSpec
CSINodeSpec: 1 drivers [CSINodeDriver]
CSINodeDriver: 1 name string, 2 nodeID string, 3 topologyKeys [string], 4 allocatable VolumeNodeResources
VolumeNodeResources: 1 count int32
CSIStorageCapacity: 1 metadata ObjectMeta, 2 nodeTopology LabelSelector, 3 storageClassName string, 4 capacity Quantity,
    5 maximumVolumeSize Quantity
StorageClass: 1 metadata ObjectMeta, 2 provisioner string, 3 parameters {string}, 4 reclaimPolicy string,
    5 mountOptions [string], 6 allowVolumeExpansion bool, 7 volumeBindingMode string, 8 allowedTopologies [TopologySelectorTerm]
VolumeAttachment: 1 metadata ObjectMeta, 2 spec VolumeAttachmentSpec, 3 status VolumeAttachmentStatus
VolumeAttachmentSpec: 1 attacher string, 2 source VolumeAttachmentSource, 3 nodeName string
VolumeAttachmentSource: 1 persistentVolumeName string, 2 inlineVolumeSpec PersistentVolumeSpec
VolumeAttachmentStatus: 1 attached bool, 2 attachmentMetadata {string}, 3 attachError VolumeError, 4 detachError VolumeError
VolumeError: 1 time Time, 2 message? string, 3 errorCode int32
)";

constexpr std::string_view kAutoscalingMessages = R"(
Scale: 1 metadata ObjectMeta, 2 spec ScaleSpec, 3 status ScaleStatus
ScaleSpec: 1 replicas? int32
ScaleStatus: 1 replicas int32, 2 selector? string
)";

constexpr std::array kMessageTables{
    MessageTable{"meta.k8s.io/v1", kMetaMessages},
    MessageTable{"v1", kCoreMessages},
    MessageTable{"apps/v1", kAppsMessages},
    MessageTable{"batch/v1", kBatchMessages},
    MessageTable{"coordination.k8s.io/v1", kCoordinationMessages},
    MessageTable{"events.k8s.io/v1", kEventsMessages},
    MessageTable{"policy/v1", kPolicyMessages},
    MessageTable{"rbac.authorization.k8s.io/v1", kRbacMessages},
    MessageTable{"resource.k8s.io/v1", kResourceMessages},
    MessageTable{"scheduling.k8s.io/v1", kSchedulingMessages},
    MessageTable{"storage.k8s.io/v1", kStorageMessages},
    MessageTable{"autoscaling/v1", kAutoscalingMessages},
};

}  // namespace

std::span<const MessageTable> message_tables() { return kMessageTables; }

}  // namespace muster::sim
